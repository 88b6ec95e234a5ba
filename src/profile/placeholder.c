typedef int placeholder_profile;
