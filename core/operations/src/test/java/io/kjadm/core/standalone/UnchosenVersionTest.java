package io.kjadm.core.standalone;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.check.EtcdFinding;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

class UnchosenVersionTest {

    private static Optional<EtcdFinding> finding(String own, String... members) {
        return UnchosenVersion.finding(
                EtcdVersion.parse(own),
                List.of(members).stream().map(EtcdVersion::parse).toList());
    }

    @Test
    void theMembersMinorIsTaken() {
        assertEquals(Optional.empty(), finding("3.6.8", "3.6.14", "3.6.8"));
    }

    @Test
    void anotherMinorHasToBeChosen() {
        String text = finding("3.6.8", "3.5.30").orElseThrow().text();

        assertHasLine(
                "the members run etcd 3.5.30, and 3.6.8 was not chosen for this machine: use --version 3.5.30, or --version 3.6.8 to start an upgrade with it",
                text);
    }

    @Test
    void whereNobodyTellsHisVersionNoneIsCompared() {
        assertEquals(Optional.empty(), finding("3.6.8"));
    }
}
