package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

class ChannelsTest {

    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            // channels that other tests have left are told of here, too
            if (record.getThrown() instanceof RejectedExecutionException) {
                told.add(record.getMessage());
            }
        }

        @Override
        public void flush() {
            // nothing is kept back
        }

        @Override
        public void close() {
            // nothing is open
        }
    };

    @BeforeEach
    void listen() {
        GRPC.addHandler(handler);
    }

    @AfterEach
    void stop() {
        GRPC.removeHandler(handler);
    }

    private static URI nobody() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }
    }

    /** gRPC would say so on the operator's console, with the stack of it. */
    @Test
    void connectionsThatFailAtTheEndFindTheirThread() throws IOException {
        for (int run = 0; run < 150; run++) {
            List<URI> endpoints = List.of(nobody(), nobody(), nobody());
            try (EtcdCluster cluster = new JetcdConnector().connect(EtcdAccess.plain(endpoints))) {
                assertTrue(EtcdCallException.of(cluster::members).isPresent());
            }
        }

        assertEquals(List.of(), told);
    }
}
