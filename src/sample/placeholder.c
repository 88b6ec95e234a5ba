typedef int placeholder_sample;
