package io.kjadm.etcd;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries connections to a server of this machine as a long and narrow line would: what goes in comes out
 * later, and not faster than the line is wide. All connections of a direction share the width.
 */
final class SlowLink implements AutoCloseable {

    private static final int CHUNK = 16 * 1024;
    /** What is on its way: more is not taken in, as by a full buffer of the sender. */
    private static final int ON_THE_WAY = 256;

    private static final Chunk END = new Chunk(new byte[0], 0);

    private final ServerSocket here;
    private final URI server;
    private final long oneWay;
    private final double bytesPerNano;
    private final Direction there = new Direction();
    private final Direction back = new Direction();
    private final Set<Socket> carried = ConcurrentHashMap.newKeySet();

    /** @param due by {@link System#nanoTime} */
    private record Chunk(byte[] bytes, long due) {}

    /** When the line is free again. */
    private static final class Direction {

        private final AtomicLong free = new AtomicLong(Long.MIN_VALUE);

        /** When so many bytes have left that are given to it now. */
        long left(long now, double nanos) {
            return free.updateAndGet(until -> Math.max(until, now) + (long) nanos);
        }
    }

    /**
     * @param roundTrip      added to each answer; half of it in each direction
     * @param bitsPerSecond  of each direction; 0 for as fast as it goes
     */
    SlowLink(URI server, Duration roundTrip, long bitsPerSecond) {
        this.server = server;
        this.oneWay = roundTrip.toNanos() / 2;
        this.bytesPerNano = bitsPerSecond / 8e9;
        try {
            here = new ServerSocket(
                    EtcdProcess.freeUrl().getPort(), 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    /** The server by way of this line. */
    URI url() {
        return EtcdUrls.of(server.getScheme(), "127.0.0.1", here.getLocalPort());
    }

    private void accept() {
        while (!here.isClosed()) {
            try {
                Socket client = here.accept();
                Thread.ofVirtual().start(() -> carry(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void carry(Socket client) {
        try (client;
                Socket to = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
            carried.add(client);
            carried.add(to);
            client.setTcpNoDelay(true);
            to.setTcpNoDelay(true);
            Thread answers = Thread.ofVirtual().start(() -> carry(to, client, back));
            carry(client, to, there);
            answers.join();
        } catch (IOException e) {
            // as when nobody listens there
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            carried.remove(client);
        }
    }

    /** Until one of them ends the connection. */
    private void carry(Socket from, Socket to, Direction direction) {
        BlockingQueue<Chunk> line = new ArrayBlockingQueue<>(ON_THE_WAY);
        Thread out = Thread.ofVirtual().start(() -> deliver(line, to));
        byte[] buffer = new byte[CHUNK];
        try {
            for (int read = from.getInputStream().read(buffer);
                    read != -1 && out.isAlive();
                    read = from.getInputStream().read(buffer)) {
                long now = System.nanoTime();
                double nanos = bytesPerNano == 0 ? 0 : read / bytesPerNano;
                line.put(new Chunk(
                        Arrays.copyOf(buffer, read), direction.left(now, nanos) + oneWay));
            }
        } catch (IOException e) {
            // the other end sees it as the end
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(line, out);
        }
    }

    private static void end(BlockingQueue<Chunk> line, Thread out) {
        try {
            while (out.isAlive() && !line.offer(END, 1, TimeUnit.SECONDS)) {
                // what is on its way arrives first
            }
            out.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void deliver(BlockingQueue<Chunk> line, Socket to) {
        try {
            for (Chunk next = line.take(); next != END; next = line.take()) {
                TimeUnit.NANOSECONDS.sleep(next.due() - System.nanoTime());
                to.getOutputStream().write(next.bytes());
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // whoever sends notices when it is answered no more
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        here.close();
        for (Socket socket : carried) {
            socket.close();
        }
    }
}
