// Empty: the plug-in only checks whether it exists.
