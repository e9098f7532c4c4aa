package io.kjadm.cli.wiring;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.function.Supplier;

class HostLockTest {

    private static HostFiles claiming(Supplier<Optional<Claim>> answer) {
        return (HostFiles) Proxy.newProxyInstance(
                HostFiles.class.getClassLoader(),
                new Class<?>[] {HostFiles.class},
                (proxy, method, arguments) -> {
                    assertEquals("claim", method.getName());
                    assertEquals(HostLock.LOCK, arguments[0]);
                    return answer.get();
                });
    }

    @Test
    void aSecondRunIsRefused() {
        UsageException refusal =
                assertThrows(UsageException.class, () -> HostLock.claim(claiming(Optional::empty)));
        assertEquals("another kjadm is running on this machine", refusal.what());
    }

    @Test
    void whoMayNotLockIsLeftToPreflight() {
        assertDoesNotThrow(() -> HostLock.claim(claiming(() -> {
                    throw new HostException("cannot lock /run/kjadm.lock", "Permission denied", "");
                }))
                .close());
    }
}
