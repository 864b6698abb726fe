// The privacy manifest of the libraries. It has a target of its own, because a resource makes SwiftPM add a source file
// that imports Foundation.
