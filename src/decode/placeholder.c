typedef int placeholder_decode;
