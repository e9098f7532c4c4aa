package io.kjadm.core.standalone;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.ca.CertificateKeyFlags;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberFile;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.net.AdvertiseAddress;
import io.kjadm.core.net.HostFacts;
import io.kjadm.core.value.IpAddresses;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.KubernetesReleases;
import io.kjadm.manifests.StandaloneEtcd;
import io.kjadm.manifests.StandaloneEtcd.Directories;
import io.kjadm.pki.CertificateKey;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Makes the record of a run out of flags and of what an earlier run has noted: a flag that is not
 * given means what it meant then.
 */
public final class EtcdRunLoader {

    private static final List<String> UNIT_SETTINGS =
            List.of("Nice=-10", "IOSchedulingClass=best-effort", "IOSchedulingPriority=2");
    private static final Pattern NAME =
            Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?");
    private static final Pattern UNIT_SETTING = Pattern.compile("[A-Za-z]+=[^\\n\\r]*");

    private final HostFiles files;
    private final HostFacts facts;
    private final EtcdHostPaths paths;
    private final Map<String, String> environment;

    /**
     * @param files       of the machine
     * @param environment of this process, which may hold the certificate key
     */
    public EtcdRunLoader(
            HostFiles files,
            HostFacts facts,
            EtcdHostPaths paths,
            Map<String, String> environment) {
        this.files = files;
        this.facts = facts;
        this.paths = paths;
        this.environment = Map.copyOf(environment);
    }

    /**
     * The run.
     *
     * @param target that is joined; empty if a cluster is founded
     * @throws UsageException if the flags are no good, or contradict what was begun here
     */
    public EtcdRun load(CommandFlags flags, Optional<JoinTarget> target) {
        flags.text(Flag.INIT_SYSTEM).filter(text -> !text.equals("systemd")).ifPresent(text -> {
            throw new UsageException(
                    "--init-system cannot be \"%s\"".formatted(text),
                    "etcd is run by systemd; as a static pod it belongs to a control plane",
                    "leave the flag out; for a static pod see 'kjadm init' and 'kjadm join'");
        });
        Optional<MemberRecord> noted =
                new MemberFile(files, paths).read().filter(record -> record.finished() || begun());
        boolean founder = target.isEmpty();
        target.filter(JoinTarget::existing).ifPresent(this::requireNoOtherJoin);
        noted.filter(record -> record.founder() != founder).ifPresent(record -> {
            throw new UsageException(
                    "this machine has a member that was set up by 'kjadm etcd %s'"
                            .formatted(record.founder() ? "init" : "join"),
                    record.finished() ? "it serves" : "it is not finished",
                    record.finished()
                            ? "see 'kjadm etcd status'; to start again, run 'kjadm etcd reset' first"
                            : "run that command again, or 'kjadm etcd reset' first");
        });
        // the members may tell another version than when the first run began with its own
        boolean goesOn = target.filter(JoinTarget::existing).isPresent()
                && noted.filter(record -> !record.finished()).isPresent();
        MemberSettings settings = settings(
                goesOn ? flags.without(Flag.VERSION) : flags, noted.map(MemberRecord::settings));
        noted.map(MemberRecord::settings).filter(old -> !old.equals(settings)).ifPresent(old -> {
            throw new UsageException(
                    "this machine has a member with other settings",
                    "it is %s, the command asks for %s".formatted(text(old), text(settings)),
                    "leave the flags out that differ, or run 'kjadm etcd reset' first");
        });
        MemberRecord record = noted.orElseGet(
                () -> new MemberRecord(settings, founder, false, founder ? token(flags) : ""));
        return new EtcdRun(
                record,
                paths,
                options(flags, founder),
                target,
                noted.isPresent(),
                Optional.empty());
    }

    /** What a join may remove or set aside is what is to be used. */
    private void requireNoOtherJoin(JoinTarget target) {
        if (target.rejoin().replaceLostVoter() || target.rejoin().wipeEtcdData().isPresent()) {
            throw new UsageException(
                    "--existing-data cannot be used with --replace-lost-voter or --wipe-etcd-data",
                    "it keeps the member and its data",
                    "leave one of them out");
        }
        if (new JournalFile(files, paths.stateDir()).read().isPresent()) {
            throw new UsageException(
                    "a join of this machine is not finished",
                    "its journal is in " + paths.stateDir(),
                    "run the command again without --existing-data");
        }
    }

    /** A run that ended before anything was configured or added binds nobody. */
    private boolean begun() {
        return files.exists(paths.environment())
                || new JournalFile(files, paths.stateDir()).read().isPresent();
    }

    private static String text(MemberSettings settings) {
        return "%s, etcd %s at %s, in %s, %s and %s"
                .formatted(
                        settings.name(),
                        settings.version(),
                        IpAddresses.text(settings.address()),
                        settings.directories().data(),
                        settings.directories().certificates(),
                        settings.directories().install());
    }

    private static String token(CommandFlags flags) {
        return flags.text(Flag.CLUSTER_TOKEN)
                .orElseGet(() ->
                        HexFormat.of().toHexDigits(UUID.randomUUID().getMostSignificantBits()));
    }

    /** What the flags say of a member that is not there yet. */
    public MemberSettings settings(CommandFlags flags) {
        return settings(flags, Optional.empty());
    }

    /** What only one run is told, for {@code etcd download} as well. */
    public EtcdRunOptions options(CommandFlags flags, boolean founder) {
        Optional<Path> bundle = flags.path(Flag.BUNDLE);
        Optional<CertificateKey> key = bundle.flatMap(file -> key(flags));
        if (bundle.isPresent() && key.isEmpty() && !founder) {
            throw new UsageException(
                    "the certificate key to the bundle is missing",
                    "the CA in it is encrypted",
                    "put the key that 'kjadm etcd init --bundle' has printed into the environment variable %s, or into a file named by --certificate-key-file"
                            .formatted(CertificateKeyFlags.VARIABLE));
        }
        return new EtcdRunOptions(
                flags.text(Flag.RELEASE_URL)
                        .map(EtcdRunLoader::releaseUrl)
                        .orElse(EtcdRunOptions.RELEASES),
                flags.isSet(Flag.ALLOW_INSECURE_RELEASE_SERVER),
                flags.path(Flag.ETCD_TARBALL).map(Path::toAbsolutePath),
                bundle.map(Path::toAbsolutePath),
                bundle.isPresent() ? key.or(() -> Optional.of(CertificateKey.generate())) : key,
                flags.list(Flag.IGNORE_PREFLIGHT_ERRORS),
                flags.isSet(Flag.VERSION));
    }

    private static URI releaseUrl(String text) {
        try {
            URI url = URI.create(text);
            if (List.of("http", "https").contains(url.getScheme()) && url.getHost() != null) {
                return url;
            }
        } catch (IllegalArgumentException e) {
            // the same answer as for every other text that is no such URL
        }
        throw new UsageException(
                "--release-url cannot be \"%s\"".formatted(text),
                "it is not an http or https URL",
                "give the URL below which there is v3.6.8/etcd-v3.6.8-linux-amd64.tar.gz");
    }

    private Optional<CertificateKey> key(CommandFlags flags) {
        return CertificateKeyFlags.read(flags, files, environment, "kjadm etcd init --bundle");
    }

    private MemberSettings settings(CommandFlags flags, Optional<MemberSettings> old) {
        return new MemberSettings(
                flags.text(Flag.NAME)
                        .map(EtcdRunLoader::name)
                        .or(() -> old.map(MemberSettings::name))
                        .orElseGet(() -> name(facts.hostname().toLowerCase(Locale.ROOT))),
                version(flags, old.map(MemberSettings::version)),
                flags.text(Flag.BIND_ADDRESS)
                        .map(EtcdRunLoader::address)
                        .or(() -> old.map(MemberSettings::address))
                        .orElseGet(this::defaultAddress),
                new Directories(
                        directory(flags, Flag.DATA_DIR, old, Directories::data)
                                .orElse(KubernetesPaths.ETCD_DATA_DIR),
                        directory(flags, Flag.CERTS_DIR, old, Directories::certificates)
                                .orElse(paths.certificatesDir()),
                        directory(flags, Flag.INSTALL_DIR, old, Directories::install)
                                .orElse(EtcdHostPaths.INSTALL_DIR)),
                flags.isSet(Flag.SERVER_CERT_EXTRA_SANS)
                        ? flags.list(Flag.SERVER_CERT_EXTRA_SANS)
                        : old.map(MemberSettings::serverCertSans).orElse(List.of()),
                flags.isSet(Flag.DISK_PRIORITIES)
                        ? unitSettings(flags.list(Flag.DISK_PRIORITIES))
                        : old.map(MemberSettings::unitSettings).orElse(UNIT_SETTINGS));
    }

    /** The release that is meant: the one given, else the noted one, else that of Kubernetes. */
    public static EtcdVersion version(CommandFlags flags, Optional<EtcdVersion> old) {
        return flags.text(Flag.VERSION)
                .map(EtcdRunLoader::version)
                .or(() -> old)
                .orElseGet(EtcdRunLoader::defaultVersion);
    }

    /**
     * The newest release with a pinned sum, of the minor that the newest Kubernetes uses; a later
     * patch release than Kubernetes' own may have one, and repairs more.
     */
    static EtcdVersion defaultVersion() {
        EtcdVersion ofKubernetes =
                EtcdVersion.parse(KubernetesReleases.KNOWN.newest().etcdTag());
        return ReleaseSums.pinned().versions().stream()
                .filter(version -> version.major() == ofKubernetes.major()
                        && version.minor() == ofKubernetes.minor()
                        && version.compareTo(ofKubernetes) >= 0)
                .max(Comparator.naturalOrder())
                .orElse(ofKubernetes);
    }

    private static EtcdVersion version(String text) {
        try {
            EtcdVersion version = EtcdVersion.parse(text);
            if (version.major() == 3 && version.knowsLearners()) {
                return version;
            }
        } catch (IllegalArgumentException e) {
            // the same answer as for a release that is too old
        }
        throw new UsageException(
                "--version cannot be \"%s\"".formatted(text),
                "it is not a release of etcd 3, 3.4.0 or newer",
                "write it as 3.6.8");
    }

    private Optional<Path> directory(
            CommandFlags flags,
            Flag flag,
            Optional<MemberSettings> old,
            Function<Directories, Path> of) {
        return flags.path(flag)
                .map(path -> absolute(flag, path))
                .or(() -> old.map(MemberSettings::directories).map(of));
    }

    private static Path absolute(Flag flag, Path path) {
        if (!path.isAbsolute()) {
            throw new UsageException(
                    "--%s cannot be \"%s\"".formatted(flag, path),
                    "systemd needs an absolute path",
                    "write it with a leading /");
        }
        Path normal = path.normalize();
        if (!StandaloneEtcd.isUnitPath(normal)) {
            throw new UsageException(
                    "--%s cannot be \"%s\"".formatted(flag, path),
                    "a path in a unit of systemd has neither control characters nor any of \" \\ $ `",
                    "name another directory");
        }
        return normal;
    }

    private static String name(String text) {
        if (!NAME.matcher(text).matches()) {
            throw new UsageException(
                    "\"%s\" cannot be the name of an etcd member".formatted(text),
                    "a name has letters, digits, dots, dashes and underscores",
                    "give another one with --name");
        }
        return text;
    }

    private static InetAddress address(String text) {
        return IpAddresses.parse(text)
                .filter(address -> !address.isAnyLocalAddress() && !address.isLoopbackAddress())
                .orElseThrow(() -> new UsageException(
                        "--bind-address cannot be \"%s\"".formatted(text),
                        "other machines must reach etcd by it",
                        "give an IP address of an interface of this machine"));
    }

    private InetAddress defaultAddress() {
        String found = new AdvertiseAddress(facts::network).choose("");
        return IpAddresses.parse(found)
                .filter(address -> !address.isAnyLocalAddress())
                .orElseThrow(() -> new UsageException(
                        "no address of this machine was found",
                        "it has no default route",
                        "give one with --bind-address"));
    }

    private static List<String> unitSettings(List<String> settings) {
        settings.forEach(setting -> {
            if (!UNIT_SETTING.matcher(setting).matches()) {
                throw new UsageException(
                        "--disk-priorities cannot hold \"%s\"".formatted(setting),
                        "it is not a line of a unit",
                        "write it as Nice=-10");
            }
        });
        return settings;
    }
}
