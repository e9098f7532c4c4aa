package io.kjadm.pki;

/**
 * Key or certificate material that cannot be read, made or trusted; the message gives the reason,
 * never a secret.
 */
public final class PkiException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PkiException(String message) {
        super(message);
    }

    public PkiException(String message, Throwable cause) {
        super(message, cause);
    }
}
