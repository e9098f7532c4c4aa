package io.kjadm.etcd;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.GeneralSecurityException;

import javax.net.ssl.SSLException;

/** Translates what gRPC throws, once, at the border. */
final class GrpcFailures {

    private static final String SERVER_PREFIX = "etcdserver: ";
    /**
     * How netty words a server that went away while greeting; it is no fault of the certificates.
     */
    private static final String CLOSED_EARLY =
            "Connection closed while SSL/TLS handshake was in progress";

    /** How gRPC begins its description of that ({@code io.grpc.netty.ProtocolNegotiators}). */
    private static final String NEGOTIATING = "Connection closed while performing ";

    private GrpcFailures() {}

    /** Whether the connection failed rather than the server refused. */
    static boolean ofTransport(StatusRuntimeException e) {
        return !text(e).startsWith(SERVER_PREFIX);
    }

    static EtcdCallException translate(RpcKind kind, String call, StatusRuntimeException e) {
        RpcCode code = RpcCode.valueOf(e.getStatus().getCode().name());
        if (!ofTransport(e)) {
            return new EtcdCallException(
                    EtcdErrors.classify(kind, code, text(e)), code, text(e), call, e);
        }
        Throwable root = root(e);
        String text = root == e ? text(e) : text(e) + ": " + message(root);
        if (tlsFailed(e)) {
            return new EtcdCallException(ErrorClass.FATAL, code, text, call, e);
        }
        if (neverSent(e)) {
            return new EtcdCallException(ErrorClass.TRANSIENT, code, text, call, e);
        }
        return new EtcdCallException(EtcdErrors.classify(kind, code, text(e)), code, text, call, e);
    }

    private static String text(StatusRuntimeException e) {
        Status status = e.getStatus();
        return status.getDescription() == null ? status.getCode().name() : status.getDescription();
    }

    private static boolean tlsFailed(Throwable e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof GeneralSecurityException
                    || at instanceof SSLException && !CLOSED_EARLY.equals(at.getMessage())) {
                return true;
            }
        }
        return false;
    }

    private static boolean neverSent(StatusRuntimeException e) {
        if (text(e).startsWith(NEGOTIATING)) {
            return true;
        }
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof ConnectException
                    || at instanceof UnknownHostException
                    || at instanceof NoRouteToHostException
                    || at instanceof UnresolvedAddressException
                    || at instanceof SSLException) {
                return true;
            }
        }
        return false;
    }

    private static Throwable root(Throwable e) {
        Throwable at = e;
        while (at.getCause() != null) {
            at = at.getCause();
        }
        return at;
    }

    private static String message(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
