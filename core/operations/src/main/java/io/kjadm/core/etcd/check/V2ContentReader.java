package io.kjadm.core.etcd.check;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.upgrade.V2Content;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks into a member's data directory for keys of etcd's API of version 2. */
public final class V2ContentReader {

    private final HostFiles files;

    public V2ContentReader(HostFiles files) {
        this.files = files;
    }

    /**
     * What a member of this machine has, if that matters: 3.6 and newer do not start with keys of
     * that API and hold none of them themselves, and 3.7 does not read any request of that API in
     * its log, which 3.5 wrote.
     *
     * @param target the version that it gets
     * @return empty if it does not matter
     */
    public Map<MemberId, V2Content> before(
            EtcdVersion target, EtcdHealth health, Member member, Path dataDir) {
        Optional<EtcdVersion> running = health.status(member.id()).map(MemberStatus::version);
        if (target.atLeast(3, 6)
                && running.filter(version -> !version.atLeast(3, 6)).isPresent()) {
            return Map.of(member.id(), read(dataDir));
        }
        return target.atLeast(3, 7)
                        && running.filter(version -> !version.atLeast(3, 7)).isPresent()
                ? Map.of(member.id(), readRequests(dataDir))
                : Map.of();
    }

    /**
     * Reads the whole log, which takes a second or two.
     *
     * @param dataDir etcd may run on it
     * @return {@link V2Content#UNKNOWN} if it cannot be read
     */
    V2Content read(Path dataDir) {
        return read(dataDir, new V2ContentScan(false));
    }

    /** Whether the log has requests that 3.7 does not read; the store does not count. */
    V2Content readRequests(Path dataDir) {
        return read(dataDir, new V2ContentScan(true));
    }

    private V2Content read(Path dataDir, V2ContentScan scan) {
        try {
            return verdict(dataDir.resolve(KubernetesPaths.ETCD_MEMBER), scan);
        } catch (HostException | IOException | WalReader.DamagedException e) {
            return V2Content.UNKNOWN;
        }
    }

    private V2Content verdict(Path member, V2ContentScan scan)
            throws IOException, WalReader.DamagedException {
        List<Path> log = files(member.resolve("wal"), ".wal");
        if (log.isEmpty()) {
            return V2Content.UNKNOWN;
        }
        for (Path file : log) {
            try (InputStream in = files.open(file)) {
                scan.log(in, file.equals(log.getLast()));
            }
        }
        for (Path file : files(member.resolve("snap"), ".snap").reversed()) {
            if (scan.snapshot(() -> files.open(file))) {
                break;
            }
        }
        return scan.verdict();
    }

    /** Oldest first: their names begin with numbers of one length. */
    private List<Path> files(Path directory, String suffix) {
        return files.list(directory).stream()
                .filter(file -> file.toString().endsWith(suffix))
                .toList();
    }
}
