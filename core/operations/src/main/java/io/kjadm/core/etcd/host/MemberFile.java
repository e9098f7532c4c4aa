package io.kjadm.core.etcd.host;

import com.fasterxml.jackson.core.JsonProcessingException;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.core.value.IpAddresses;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The {@link MemberRecord} of this machine, as JSON on disk; it holds no secret. */
public final class MemberFile {

    private final HostFiles files;
    private final Path path;

    public MemberFile(HostFiles files, EtcdHostPaths paths) {
        this.files = files;
        this.path = paths.memberFile();
    }

    /**
     * What is remembered; empty if there is nothing.
     *
     * @throws HostException if it cannot be read: it tells where the data is, so it is not
     *         passed over
     */
    public Optional<MemberRecord> read() {
        return files.read(path).map(this::parse);
    }

    /** Remembers it, for a power cut too. */
    public void write(MemberRecord record) {
        files.write(path, text(record), FileMode.OWNER_ONLY);
    }

    /** The file that remembers it. */
    public static String text(MemberRecord record) {
        return JournalJson.text(JournalJson.tree(Noted.of(record)));
    }

    /** Forgets it. */
    public void clear() {
        files.delete(path);
    }

    private MemberRecord parse(String text) {
        try {
            return JournalJson.read(JournalJson.parse(text), Noted.class).record();
        } catch (JsonProcessingException e) {
            throw unreadable(JsonInput.fault(e), e);
        } catch (IllegalArgumentException e) {
            throw unreadable("its field address is no IP address", e);
        }
    }

    private HostException unreadable(String why, Exception cause) {
        return new HostException(
                "%s cannot be read".formatted(path),
                why,
                "it describes the etcd of this machine; restore it, or move it away if there is none",
                cause);
    }

    /** The record as it is on disk, without groups. */
    private record Noted(
            boolean founder,
            boolean finished,
            String token,
            String name,
            EtcdVersion version,
            String address,
            Path dataDir,
            Path certificatesDir,
            Path installDir,
            List<String> serverCertSans,
            List<String> unitSettings) {

        static Noted of(MemberRecord record) {
            MemberSettings settings = record.settings();
            Directories directories = settings.directories();
            return new Noted(
                    record.founder(),
                    record.finished(),
                    record.token(),
                    settings.name(),
                    settings.version(),
                    IpAddresses.text(settings.address()),
                    directories.data(),
                    directories.certificates(),
                    directories.install(),
                    settings.serverCertSans(),
                    settings.unitSettings());
        }

        MemberRecord record() {
            return new MemberRecord(
                    new MemberSettings(
                            name,
                            version,
                            InetAddress.ofLiteral(address),
                            new Directories(dataDir, certificatesDir, installDir),
                            serverCertSans,
                            unitSettings),
                    founder,
                    finished,
                    token);
        }
    }
}
