package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.manifests.Argument;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class NodeRegistrationTest {

    private static String kubeletName(String... overrides) {
        List<Argument> args = Stream.concat(
                        Stream.of(new Argument("v", "2")),
                        Stream.of(overrides).map(name -> new Argument("hostname-override", name)))
                .toList();
        return new NodeRegistration(
                        "cp-2",
                        "unix:///run/c.sock",
                        Optional.empty(),
                        args,
                        List.of(),
                        ImagePullPolicy.IF_NOT_PRESENT,
                        true)
                .kubeletName();
    }

    @Test
    void theKubeletIsCalledAsTheNodeUnlessItIsToldOtherwise() {
        assertEquals("cp-2", kubeletName());
        assertEquals("other", kubeletName("first", "Other"));
    }
}
