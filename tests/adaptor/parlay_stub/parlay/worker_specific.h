// Empty: the plug-in asks whether it is there.
