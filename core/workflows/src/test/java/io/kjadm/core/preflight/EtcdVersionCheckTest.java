package io.kjadm.core.preflight;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpServer;

import io.kjadm.core.check.Finding;
import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.net.HttpText.Answer;
import io.kjadm.core.preflight.machine.GoodHost;
import io.kjadm.core.preflight.machine.HttpGetter;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

class EtcdVersionCheckTest {

    private static final URI ETCD = URI.create("https://10.0.0.9:2379/");

    private final List<URI> asked = new ArrayList<>();
    private final GoodHost.Pauses pauses = new GoodHost.Pauses();

    /** Answers one after the other; an empty one is a refused connection. */
    private List<Finding> findings(Answer... answers) {
        Iterator<Answer> next = List.of(answers).iterator();
        return EtcdVersionCheck.of(
                        List.of(ETCD),
                        uri -> {
                            asked.add(uri);
                            if (!next.hasNext()) {
                                throw new IOException("Connection refused");
                            }
                            return next.next();
                        },
                        pauses)
                .run();
    }

    private static Answer version(String version) {
        return new Answer(
                200, "{\"etcdserver\":\"%s\",\"etcdcluster\":\"3.5.0\"}".formatted(version));
    }

    @Test
    void newEnoughServerPasses() {
        assertEquals(List.of(), findings(version("3.5.24")));
        assertEquals(List.of(), findings(version("3.6.8")));
        assertEquals(URI.create("https://10.0.0.9:2379/version"), asked.getFirst());
    }

    @Test
    void olderServerIsRefused() {
        assertEquals(
                "external etcd at https://10.0.0.9:2379/version has version 3.5.23, at least 3.5.24-0 is needed",
                findings(version("3.5.23")).getFirst().text());
    }

    @Test
    void failingServerIsAskedAgain() {
        assertEquals(List.of(), findings(new Answer(503, ""), version("3.6.8")));
        assertEquals(List.of(Duration.ofSeconds(5)), pauses.made);
    }

    @Test
    void silentServerIsRefusedAfterThreeRetries() {
        assertEquals(Finding.Level.ERROR, findings().getFirst().level());
        assertEquals(4, asked.size());
        assertEquals(3, pauses.made.size());
    }

    @Test
    void otherAnswersAreRefusedAtOnce() {
        assertEquals(1, findings(new Answer(404, "not found")).size());
        assertEquals(1, findings(new Answer(200, "{}")).size());
        assertEquals(List.of(), pauses.made);
    }

    @Test
    void serverIsAskedOverTheNetwork() throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/version", exchange -> {
            byte[] body = "{\"etcdserver\":\"3.6.8\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            ExternalEtcd etcd = new ExternalEtcd(
                    List.of(uri),
                    List.of(uri),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
            HttpGetter http = new EtcdHttpGetter(etcd, new MemoryFiles());
            assertEquals(
                    List.of(), EtcdVersionCheck.of(List.of(uri), http, pauses).run());
        } finally {
            server.stop(0);
        }
    }
}
