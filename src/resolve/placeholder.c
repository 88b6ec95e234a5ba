typedef int placeholder_resolve;
