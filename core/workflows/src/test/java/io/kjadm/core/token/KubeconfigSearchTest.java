package io.kjadm.core.token;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.host.MemoryFiles;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

class KubeconfigSearchTest {

    private final MemoryFiles files = new MemoryFiles();

    @Test
    void theFlagCountsEvenWithoutTheFile() {
        files.with("/one", "");
        assertEquals("/flag", found(Map.of("KUBECONFIG", "/one"), Optional.of("/flag")));
    }

    @Test
    void theFirstListedThatExistsIsTaken() {
        files.with("/two", "").with("/three", "");
        assertEquals("/two", found(Map.of("KUBECONFIG", "/one::/two:/three"), Optional.empty()));
    }

    @Test
    void theHomeDirectoryIsLookedAtOnlyWithoutAList() {
        files.with("/home/me/.kube/config", "");
        Map<String, String> home = Map.of("HOME", "/home/me");
        assertEquals("/home/me/.kube/config", found(home, Optional.of("")));
        assertEquals(
                "/etc/kubernetes/admin.conf",
                found(Map.of("HOME", "/home/me", "KUBECONFIG", "/missing"), Optional.empty()));
    }

    @Test
    void theAdministratorsIsTheLast() {
        assertEquals(
                "/etc/kubernetes/admin.conf", found(Map.of("HOME", "/home/me"), Optional.empty()));
        assertEquals("/etc/kubernetes/admin.conf", found(Map.of(), Optional.empty()));
    }

    private String found(Map<String, String> environment, Optional<String> flag) {
        Path path = new KubeconfigSearch(files, environment).find(flag);
        return path.toString();
    }
}
