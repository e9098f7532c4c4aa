package io.kjadm.core.cri;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.value.ImagePullPolicy;

import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;

class ImageFetcherTest {

    private final MemoryRuntime runtime = new MemoryRuntime();
    private final ImageFetcher fetcher = new ImageFetcher(runtime, ImagePullPolicy.ALWAYS);

    @Test
    void anImageThatIsThereIsPulledAgain() {
        runtime.images.add("a");
        fetcher.fetch("a");
        assertEquals(List.of("a"), runtime.pulls);
    }

    @Test
    void fourFailuresAreForgiven() {
        runtime.refusals.put("a", 4);
        fetcher.fetch("a");
        assertEquals(Collections.nCopies(5, "a"), runtime.pulls);
    }

    @Test
    void theFifthIsNot() {
        runtime.refusals.put("a", 5);
        HostException failure = assertThrows(HostException.class, () -> fetcher.fetch("a"));
        assertEquals("failed to pull image a", failure.what());
        assertEquals(5, runtime.pulls.size());
    }
}
