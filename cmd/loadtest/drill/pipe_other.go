//go:build !unix

package drill

import "errors"

// makePipe fails: there are no such pipes here, nor the signals that the drill sends.
func makePipe(string, uint32) error { return errors.ErrUnsupported }
