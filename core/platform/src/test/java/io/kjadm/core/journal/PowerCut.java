package io.kjadm.core.journal;

import io.kjadm.core.host.CrashStates;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.Mutates;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;

/**
 * The power of a machine, cut at the nth thing that a program does: from then on nothing that the
 * program does has any effect, its cleaning up included. A change of files may be made, or not, or
 * in part ({@link CrashStates}).
 */
public final class PowerCut extends Error {

    /**
     * The distance between the steps that a test plays, from {@code -Dkjadm.cuts=1}, which is each
     * step, as a release needs. Every run has another {@link #first()} and so other steps.
     */
    public static final int STRIDE = Integer.getInteger("kjadm.cuts", 4);

    /** Makes a run play the moments of another. */
    private static final long SEED =
            Long.getLong("kjadm.cuts.seed", new SecureRandom().nextInt(1_000_000));

    /** The states of one step that are played: not all that a change of many files has. */
    private static final int STATES = STRIDE == 1 ? 12 : 2;

    private static final long serialVersionUID = 1;

    private final transient Socket socket;

    private PowerCut(Socket socket) {
        super("power cut at " + socket, null, false, false);
        this.socket = socket;
    }

    /** The first step that a test plays: from 1 to {@link #STRIDE}. */
    public static int first() {
        return 1 + (int) (SEED % STRIDE);
    }

    public boolean at(Socket other) {
        return socket == other;
    }

    /**
     * The moments at which a test cuts the power, each on another machine, until it does not go:
     * every {@link #STRIDE}th step, with several states of the disk.
     */
    public static Iterable<Socket> moments() {
        return moments(first(), STRIDE);
    }

    /** The same, of every step. */
    public static Iterable<Socket> everyMoment() {
        return moments(1, 1);
    }

    /** One of the states that a cut at a step may leave. */
    public static Socket at(int step) {
        return new Socket(step, new Random(SEED * 1000 + step).nextInt(1000));
    }

    private static Iterable<Socket> moments(int first, int stride) {
        return () -> new Iterator<>() {
            private Socket last;

            @Override
            public boolean hasNext() {
                return last == null || last.wasCut();
            }

            @Override
            public Socket next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                if (last == null) {
                    last = new Socket(first, 0);
                } else if (last.state + 1 < Math.min(last.states, STATES)) {
                    last = new Socket(last.cutAt, last.state + 1);
                } else {
                    last = new Socket(last.cutAt + stride, 0);
                }
                return last;
            }
        };
    }

    /** What the machine's ports are plugged into. */
    public static final class Socket {

        private final int cutAt;
        private final int state;
        private int step;
        private int states;
        private String cut = "";
        private Optional<MemoryFiles> disk = Optional.empty();

        /**
         * @param cutAt number of the change, from 1, behind which the power goes: it is made, and
         *         nobody hears of it
         */
        public Socket(int cutAt) {
            this(cutAt, -1);
        }

        private Socket(int cutAt, int state) {
            this.cutAt = cutAt;
            this.state = state;
        }

        /** Runs it until the power goes; whether it went. */
        public boolean cuts(Runnable run) {
            try {
                run.run();
            } catch (PowerCut e) {
                if (!e.at(this)) {
                    throw e;
                }
            }
            return wasCut();
        }

        /** Whether the power went. */
        public boolean wasCut() {
            return step >= cutAt;
        }

        /** The number of the change at which it goes. */
        public int step() {
            return cutAt;
        }

        @Override
        public String toString() {
            return "step %d%s%s"
                    .formatted(cutAt, state < 0 ? "" : ", -Dkjadm.cuts.seed=" + SEED, cut);
        }

        /** A port; the methods that change something are marked. */
        public <T> T plug(Class<T> port, T real) {
            if (real instanceof MemoryFiles files) {
                disk = Optional.of(files);
            }
            return port.cast(Proxy.newProxyInstance(
                    port.getClassLoader(),
                    new Class<?>[] {port},
                    (proxy, method, arguments) -> call(real, method, arguments)));
        }

        private Object call(Object real, Method method, Object... arguments) throws Throwable {
            if (wasCut()) {
                throw new PowerCut(this);
            }
            step += method.isAnnotationPresent(Mutates.class) ? 1 : 0;
            if (wasCut() && state >= 0 && real instanceof MemoryFiles files) {
                leave(files, method, arguments);
                throw cut();
            }
            Object result;
            try {
                result = method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (wasCut()) {
                throw cut();
            }
            return result;
        }

        private PowerCut cut() {
            if (state >= 0) {
                Random random = new Random((SEED * 1000 + cutAt) * 1000 + state);
                disk.ifPresent(files -> files.losePower(random));
            }
            return new PowerCut(this);
        }

        /** The same for each socket of this step, so that all its states are others. */
        private void leave(MemoryFiles files, Method change, Object... arguments) {
            Random random = new Random(SEED * 1000 + cutAt);
            Optional<CrashStates> possible = CrashStates.of(files, change, arguments, random);
            states = possible.map(CrashStates::count).orElse(0);
            cut = ", %s, %s"
                    .formatted(
                            change.getName(),
                            possible.map(all -> all.leave(state % states)).orElse("refused"));
        }
    }
}
