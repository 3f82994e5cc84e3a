"""Entry points for users: functions on NumPy arrays, torch tensors and DLPack objects."""
