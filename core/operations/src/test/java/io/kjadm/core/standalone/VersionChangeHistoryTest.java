package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.core.standalone.RealSites.Site;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.history.Recorder;
import io.kjadm.etcd.history.Recording;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Clients write while three members get another patch release, and their old one again, by what
 * {@code kjadm etcd upgrade} does on each machine. Skipped where there are no two releases of 3.5.
 */
@EnabledIfSystemProperty(named = "kjadm.history.seconds", matches = "\\d+")
class VersionChangeHistoryTest {

    @TempDir
    Path folder;

    @Test
    void clientsSeeOneStoreWhileTheVersionChanges() throws IOException {
        List<EtcdBinary> releases =
                EtcdBinary.found(version -> version.major() == 3 && version.minor() == 5).stream()
                        .filter(etcd -> Files.isExecutable(etcd.file().resolveSibling("etcdutl")))
                        .toList();
        assumeTrue(releases.size() > 1, "there are no two releases of etcd 3.5");
        EtcdBinary old = releases.getFirst();
        EtcdBinary newer = releases.getLast();
        try (RealSites lab = RealSites.withOwnPrograms(folder, old)) {
            lab.together();
            Recorder recorder = new Recorder(
                    () -> lab.sites.stream().map(site -> site.client).toList(), Recorder.anySeed());
            Recording recording = recorder.record(
                    () -> {
                        change(lab, recorder, newer);
                        change(lab, recorder, old);
                    },
                    () -> {
                        lab.sites.forEach(Site::stop);
                        return lab.sites.stream().map(site -> site.dataDir).toList();
                    });
            recording.requireRight("upgrade to %s and back".formatted(newer.version()), old);
        }
    }

    /** The leader's comes last. */
    private static void change(RealSites lab, Recorder recorder, EtcdBinary to) throws IOException {
        Site leader = lab.leader();
        List<Site> order = new ArrayList<>(lab.sites);
        order.sort(Comparator.comparing(site -> site == leader));
        for (Site site : order) {
            recorder.during(
                    "change %s to %s".formatted(site.name, to.version()),
                    () -> site.changeVersion(to));
        }
    }
}
