package guard

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// DescribePanic says what was recovered without quoting it: the runtime's own
// words, which hold no data, or the type of the value.
func DescribePanic(recovered any) string {
	var broken runtime.Error
	if err, ok := recovered.(error); ok && errors.As(err, &broken) {
		return broken.Error()
	}
	return fmt.Sprintf("%T", recovered)
}

// PanicError is a panic of a function that Shield called. It is an ErrPanic.
type PanicError struct {
	// Operation is what the function was doing, What what DescribePanic says.
	Operation, What string
	// Stack is that of the panicking goroutine.
	Stack []byte
}

// Error names the operation and the panic.
func (e *PanicError) Error() string {
	return e.Operation + ": " + ErrPanic.Error() + " (" + e.What + ")"
}

// Unwrap is ErrPanic.
func (e *PanicError) Unwrap() error { return ErrPanic }

// Shield calls f and turns a panic into a *PanicError. It is for the goroutines
// that actors start, where a panic would end the process.
func Shield(operation string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Operation: operation, What: DescribePanic(r), Stack: debug.Stack()}
		}
	}()
	return f()
}
