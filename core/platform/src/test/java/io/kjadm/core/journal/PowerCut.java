package io.kjadm.core.journal;

import io.kjadm.etcd.Mutates;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * The power of a machine that joins or is reset, cut at the nth thing it does: from then on nothing
 * that the program does has any effect, its cleaning up included.
 */
public final class PowerCut extends Error {

    private static final long serialVersionUID = 1;

    private final transient Socket socket;

    private PowerCut(Socket socket) {
        super("power cut at step " + socket.step, null, false, false);
        this.socket = socket;
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
