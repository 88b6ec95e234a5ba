typedef int placeholder_view;
