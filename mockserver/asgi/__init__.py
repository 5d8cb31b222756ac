"""HTTP under an application, for the servers of both houses: connections, deadlines, origins."""
