package io.kjadm.cli.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Doing;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.UnitState;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class AutoListingTest {

    private static final MachineId ID = new MachineId("m-3f1c9a0277b1c2d4");

    private static List<String> lines(Duration age) {
        return lines(age, Optional.empty());
    }

    private static List<String> lines(Duration age, Optional<String> unsafe) {
        MachineReport report = new MachineReport(
                ID,
                new Life(1, 1, "kjadm 0.1.0"),
                new Known(0, ""),
                new OfEtcd("etcd1", "10.0.0.11", UnitState.ACTIVE, Optional.empty(), 0, Floor.NONE),
                new Readiness(List.of()),
                new Doing(Optional.empty(), Optional.empty(), "3 voters are healthy"));
        Charter charter = Charter.seeded(
                new Charter.Seed(
                        "6f0c41", ClusterSpec.of(new EtcdVersion(3, 6, 14), 3), Optional.empty()),
                "hash");
        return new AutoListing("etcd", charter, Map.of(ID, new Seen(report, age, age)), unsafe)
                .text()
                .lines()
                .toList();
    }

    private static String row(Duration age) {
        return lines(age).getLast().replaceAll(" {2,}", "|");
    }

    /** By a clock that is ahead, each report is old. */
    @Test
    void whereNoMachineReportsTheClockIsToBeChecked() {
        assertEquals(3, lines(Duration.ofSeconds(150)).size());
        assertEquals(4, lines(Duration.ofSeconds(151)).size());
    }

    /** Else the state before the entries that were deleted is taken for the cluster's. */
    @Test
    void aLogThatEndsTooEarlyIsTold() {
        assertEquals(
                "UNSAFE_STORE: it ends early; 'kjadm etcd auto repair-log' on a machine that has read most puts back what was deleted",
                lines(Duration.ZERO, Optional.of("it ends early")).get(1));
    }

    @Test
    void whatAMachineSaidLongAgoIsNotShownAsItsState() {
        assertEquals(
                "etcd1|10.0.0.11|-|active|150s ago|3 voters are healthy",
                row(Duration.ofSeconds(150)));
        assertEquals(
                "etcd1|10.0.0.11|-|unknown|151s ago|does not report; last: 3 voters are healthy",
                row(Duration.ofSeconds(151)));
    }
}
