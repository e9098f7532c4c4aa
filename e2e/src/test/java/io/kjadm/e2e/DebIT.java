package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The package for Debian on a node: what it brings, and that nothing of it stays. */
@NeedsLab
final class DebIT {
    private static final String FILES =
            "find /usr /etc /opt /var/lib -xdev -path /var/lib/dpkg -prune -o -print | sort";

    @Test
    void bringsTheProgramItsCompletionAndItsManualAndLeavesNothing() throws IOException {
        var deb = deb("kjadm_");
        assumeTrue(deb.isPresent(), "no .deb was built: dpkg-deb was not found");
        try (var lab = Lab.withNodes(1)) {
            var node = lab.node(1);
            var before = node.shell(FILES);
            // slim images tell dpkg to leave manuals out
            node.run(
                    "dpkg",
                    "--path-include=/usr/share/man/*",
                    "--path-include=/usr/share/doc/*",
                    "-i",
                    "/opt/kjadm-dist/" + deb.get().getFileName());
            assertEquals("", node.shell("dpkg --verify kjadm"), "as it was packed");
            runs(node);
            completes(node);
            isDescribed(node);
            node.run("dpkg", "-r", "kjadm");
            assertFalse(node.exec("dpkg-query", "-W", "kjadm").succeeded(), "dpkg forgot it");
            assertEquals(before, node.shell(FILES));
        }
    }

    /** The package by which the programs that call kubeadm find kjadm. */
    @Test
    void theLinkPackageAnswersAsKubeadm() throws IOException {
        var deb = deb("kjadm_");
        assumeTrue(deb.isPresent(), "no .deb was built: dpkg-deb was not found");
        try (var lab = Lab.withNodes(1)) {
            var node = lab.node(1);
            node.run(
                    "dpkg",
                    "-i",
                    "/opt/kjadm-dist/" + deb.get().getFileName(),
                    "/opt/kjadm-dist/" + deb("kjadm-kubeadm_").orElseThrow().getFileName());
            var release = node.shell("/usr/bin/kubeadm version -o short");
            assertTrue(release.matches("v1\\.\\d+\\.\\d+"), release);
            assertTrue(node.shell("/usr/bin/kubeadm version")
                    .startsWith("kubeadm version: &version.Info{"));
            assertTrue(
                    node.shell("/usr/bin/kubeadm token --help").startsWith("Usage: kubeadm token"));
            assertEquals(
                    "kubeadm (= %s)".formatted(release.substring(1)),
                    node.shell("dpkg-query -W -f '${Provides}' kjadm-kubeadm"));
            assertTrue(node.read("/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf")
                    .contains("/var/lib/kubelet/kubeadm-flags.env"));
            // a caller that copies one file
            node.shell("cp /usr/lib/kjadm/lib/kubeadm /tmp/kubeadm");
            assertEquals(release, node.shell("/tmp/kubeadm version -o short"));
            node.run("dpkg", "-r", "kjadm-kubeadm", "kjadm");
        }
    }

    private static void runs(Node node) {
        assertEquals(
                node.shell("/opt/kjadm/bin/kjadm version"), node.shell("/usr/bin/kjadm version"));
        // a cache that does not fit is passed over without a word, and every start takes longer
        for (var command : new String[] {"version", "config print init-defaults"}) {
            var loaded = node.shell("KJADM_JAVA_OPTS=-Xlog:class+load /usr/bin/kjadm " + command);
            assertTrue(loaded.contains("io.kjadm.cli.Main source: shared objects file"), command);
        }
    }

    private static void completes(Node node) {
        assertEquals("token", node.shell("""
                . /usr/share/bash-completion/completions/kjadm
                COMP_WORDS=(kjadm tok) COMP_CWORD=1
                _complete_kjadm
                echo "${COMPREPLY[@]}"
                """));
        assertTrue(node.shell("head -1 /usr/share/zsh/vendor-completions/_kjadm")
                .startsWith("#compdef kjadm"));
    }

    private static void isDescribed(Node node) {
        assertTrue(node.shell("zcat /usr/share/man/man1/kjadm-token-create.1.gz")
                .startsWith(".TH \"KJADM\\-TOKEN\\-CREATE\" 1 "));
        assertTrue(node.read("/usr/share/doc/kjadm/copyright").contains("Apache-2.0"));
    }

    private static Optional<Path> deb(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(Lab.distribution())) {
            return files.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.startsWith(prefix) && name.endsWith(".deb");
                    })
                    .findFirst();
        }
    }
}
