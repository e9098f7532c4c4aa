package io.kjadm.core.journal;

import io.kjadm.etcd.Mutates;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;

/**
 * The power of a machine that joins or is reset, cut at the nth thing it does: from then on nothing
 * that the program does has any effect, its cleaning up included.
 */
public final class PowerCut extends Error {

    /**
     * The distance between the steps that a test plays, from {@code -Dkjadm.cuts=1}, which is each
     * step, as a release needs. Every run has another {@link #first()} and so other steps.
     */
    public static final int STRIDE = Integer.getInteger("kjadm.cuts", 4);

    private static final long serialVersionUID = 1;

    private final transient Socket socket;

    private PowerCut(Socket socket) {
        super("power cut at step " + socket.step, null, false, false);
        this.socket = socket;
    }

    /** The first step that a test plays: from 1 to {@link #STRIDE}. */
    public static int first() {
        return 1 + new SecureRandom().nextInt(STRIDE);
    }

    public boolean at(Socket other) {
        return socket == other;
    }

    /** What the machine's ports are plugged into. */
    public static final class Socket {

        private final int cutAt;
        private int step;

        /**
         * @param cutAt number of the change, from 1, behind which the power goes: it is made, and
         *         nobody hears of it
         */
        public Socket(int cutAt) {
            this.cutAt = cutAt;
        }

        /** Whether the power went. */
        public boolean wasCut() {
            return step >= cutAt;
        }

        /** A port; the methods that change something are marked. */
        public <T> T plug(Class<T> port, T real) {
            return port.cast(Proxy.newProxyInstance(
                    port.getClassLoader(), new Class<?>[] {port}, (proxy, method, arguments) -> {
                        if (wasCut()) {
                            throw new PowerCut(this);
                        }
                        step += method.isAnnotationPresent(Mutates.class) ? 1 : 0;
                        Object result;
                        try {
                            result = method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                        if (wasCut()) {
                            throw new PowerCut(this);
                        }
                        return result;
                    }));
        }
    }
}
