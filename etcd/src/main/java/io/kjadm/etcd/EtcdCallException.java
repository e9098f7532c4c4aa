package io.kjadm.etcd;

import java.util.Objects;
import java.util.Optional;

/** A call to etcd that did not give the wanted answer. */
public final class EtcdCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final ErrorClass errorClass;
    private final RpcCode code;
    private final String text;

    /**
     * @param text the server's whole text, or the transport's
     * @param call what was asked of whom: "member list at https://10.0.0.2:2379"
     */
    public EtcdCallException(
            ErrorClass errorClass, RpcCode code, String text, String call, Throwable cause) {
        super("etcd " + call + ": " + text + " (" + code + ")", cause);
        this.errorClass = Objects.requireNonNull(errorClass, "errorClass");
        this.code = Objects.requireNonNull(code, "code");
        this.text = Objects.requireNonNull(text, "text");
    }

    /** A refusal by a server, sorted by its code and text. */
    public static EtcdCallException refused(RpcKind kind, RpcCode code, String text, String call) {
        return new EtcdCallException(EtcdErrors.classify(kind, code, text), code, text, call, null);
    }

    /** The failure of a change that will be read back; empty if it was acknowledged. */
    public static Optional<EtcdCallException> of(Runnable change) {
        try {
            change.run();
            return Optional.empty();
        } catch (EtcdCallException e) {
            return Optional.of(e);
        }
    }

    public ErrorClass errorClass() {
        return errorClass;
    }

    public RpcCode code() {
        return code;
    }

    /** The whole text without address and code. */
    public String text() {
        return text;
    }

    /**
     * Why a member did not tell, for the operator; gRPC's account of a deadline is for its own
     * developers.
     */
    String reason() {
        return code == RpcCode.DEADLINE_EXCEEDED ? "it did not answer in time" : text;
    }

    /** Whether the server's whole text is this one. */
    public boolean says(String wholeText) {
        return text.equals(wholeText);
    }
}
