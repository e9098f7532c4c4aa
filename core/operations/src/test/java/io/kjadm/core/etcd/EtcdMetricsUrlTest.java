package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.util.Optional;

class EtcdMetricsUrlTest {

    @ParameterizedTest
    @CsvSource({"false, http://127.0.0.1:2381", "true, http://[::1]:2381"})
    void withoutAFlagItIsKubeadmsPortOnLoopback(boolean ipv6, URI url) {
        assertEquals(url, EtcdMetricsUrl.of(Optional.empty(), ipv6));
        assertEquals(url, EtcdMetricsUrl.of(Optional.of(" , "), ipv6));
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:2381, http://127.0.0.1:2381",
        "http://10.0.0.7:9979, http://10.0.0.7:9979",
        "https://10.0.0.7:9979, https://10.0.0.7:9979",
        "http://[fd00::7]:2381, http://[fd00::7]:2381",
        "http://localhost:2381, http://localhost:2381",
    })
    void anAddressIsAskedAsItIsWritten(String urls, URI url) {
        assertEquals(url, EtcdMetricsUrl.of(Optional.of(urls), false));
        assertEquals(url, EtcdMetricsUrl.of(Optional.of(urls), true));
    }

    @ParameterizedTest
    @CsvSource({
        "http://0.0.0.0:2381, false, http://127.0.0.1:2381",
        "http://[::]:9979, true, http://[::1]:9979",
        "https://0.0.0.0:2381, false, https://127.0.0.1:2381",
        // it listens on both, and this machine has the one
        "http://[::]:2381, false, http://127.0.0.1:2381",
    })
    void everyAddressIsAskedOnLoopback(String urls, boolean ipv6, URI url) {
        assertEquals(url, EtcdMetricsUrl.of(Optional.of(urls), ipv6));
    }

    @Test
    void ofSeveralTheFirstInPlainHttpIsAsked() {
        assertEquals(
                URI.create("http://10.0.0.7:2381"),
                EtcdMetricsUrl.of(Optional.of("http://10.0.0.7:2381, http://10.0.0.8:1"), false));
        assertEquals(
                URI.create("http://127.0.0.1:2381"),
                EtcdMetricsUrl.of(
                        Optional.of("https://10.0.0.7:2381,http://127.0.0.1:2381"), false));
    }
}
