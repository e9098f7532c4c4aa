package io.kjadm.core.standalone;

import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Which of a standalone member's certificates has to be renewed, by its own files. */
public final class DueCertificates {

    /** A certificate of a year is renewed four months before its end. */
    private static final int PART = 3;

    /** They change rarely, and are read at each look. */
    private static final Duration READ_AGAIN = Duration.ofMinutes(10);

    private final SystemdEtcd etcd;
    private final Waiter clock;
    private Optional<String> due = Optional.empty();
    private Optional<Instant> read = Optional.empty();

    public DueCertificates(SystemdEtcd etcd, Waiter clock) {
        this.etcd = etcd;
        this.clock = clock;
    }

    /** The first one, in words; empty if none ends soon, or no member is set up. */
    public Optional<String> due() {
        Instant now = clock.now();
        if (read.filter(at -> Duration.between(at, now).compareTo(READ_AGAIN) < 0)
                        .isEmpty()
                || due.isPresent()) {
            due = look(now);
            read = Optional.of(now);
        }
        return due;
    }

    private Optional<String> look(Instant now) {
        if (!etcd.configured()) {
            return Optional.empty();
        }
        Path directory = etcd.state().certificatesDir();
        return MemberCertificates.ALL.stream()
                .map(name -> CertificatePair.named(directory, name).certificate())
                .flatMap(file -> due(file, now).stream())
                .findFirst();
    }

    private Optional<String> due(Path file, Instant now) {
        HostFiles files = etcd.machine().files();
        try {
            return files.read(file)
                    .map(CertificateInfo::parse)
                    .filter(certificate -> endsSoon(certificate, now))
                    .map(certificate -> "%s ends at %s".formatted(file, certificate.notAfter()));
        } catch (PkiException e) {
            // 'kjadm etcd certs check' says what is wrong with it
            return Optional.empty();
        }
    }

    private static boolean endsSoon(CertificateInfo certificate, Instant now) {
        Duration life = Duration.between(certificate.notBefore(), certificate.notAfter());
        return Duration.between(now, certificate.notAfter()).compareTo(life.dividedBy(PART)) < 0;
    }
}
