package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.ca.CertificateKeyFlags;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberFile;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.net.FakeHost;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class EtcdRunLoaderTest {

    private static final EtcdHostPaths PATHS = EtcdHostPaths.standard();
    private static final String KEY = "0123456789abcdef".repeat(4);

    private final MemoryFiles files = new MemoryFiles();
    private final FakeHost host = new FakeHost();
    private Map<String, String> environment = Map.of();

    private EtcdRun init(CommandFlags flags) {
        return new EtcdRunLoader(files, host, PATHS, environment).load(flags, Optional.empty());
    }

    private EtcdRun join(CommandFlags flags) {
        return join(flags, RejoinOptions.NONE, false);
    }

    private EtcdRun join(CommandFlags flags, RejoinOptions rejoin, boolean existing) {
        return new EtcdRunLoader(files, host, PATHS, environment)
                .load(
                        flags,
                        Optional.of(new JoinTarget(
                                List.of(URI.create("https://10.0.0.1:2379")),
                                List.of(),
                                rejoin,
                                JoinLimits.DEFAULTS,
                                existing)));
    }

    private static CommandFlags flags(Object... pairs) {
        CommandFlags flags = CommandFlags.none().with(Flag.BIND_ADDRESS, "10.0.0.7");
        for (int i = 0; i < pairs.length; i += 2) {
            flags = flags.with((Flag) pairs[i], (String) pairs[i + 1]);
        }
        return flags;
    }

    @Test
    void whatIsNotSaidIsWhatEtcdadmTook() {
        EtcdRun run = init(flags());
        MemberSettings settings = run.settings();
        assertEquals("test-host", settings.name());
        assertEquals(EtcdRunLoader.defaultVersion(), settings.version());
        assertEquals(Path.of("/var/lib/etcd"), settings.directories().data());
        assertEquals(Path.of("/etc/etcd/pki"), settings.directories().certificates());
        assertEquals(Path.of("/opt/bin"), settings.directories().install());
        assertEquals(16, run.record().token().length());
        assertFalse(run.resumes());
        assertEquals(EtcdRunOptions.RELEASES, run.options().releaseUrl());
    }

    private void noted(EtcdRun run) {
        new MemberFile(files, PATHS).write(run.record());
        files.with(PATHS.environment().toString(), "ETCD_NAME=one");
    }

    @Test
    void aRunThatChangedNothingBindsNobody() {
        new MemberFile(files, PATHS).write(init(flags()).record());
        assertFalse(join(flags(Flag.NAME, "another")).resumes());
    }

    @Test
    void theTokenIsAnotherEachTime() {
        assertFalse(init(flags()).record().token().equals(init(flags()).record().token()));
    }

    @Test
    void aFlagThatIsLeftOutMeansWhatItMeantBefore() {
        EtcdRun first =
                init(flags(Flag.NAME, "one", Flag.DATA_DIR, "/data", Flag.VERSION, "v3.5.30"));
        noted(first);
        EtcdRun again = init(CommandFlags.none());
        assertEquals(first.record(), again.record());
        assertTrue(again.resumes());
    }

    @Test
    void anotherMeaningIsRefused() {
        noted(init(flags()));
        assertThrows(UsageException.class, () -> init(flags(Flag.NAME, "another")));
        assertThrows(UsageException.class, () -> init(flags(Flag.VERSION, "3.5.30")));
    }

    @Test
    void aMachineThatFoundedDoesNotJoin() {
        noted(init(flags()));
        UsageException refused = assertThrows(UsageException.class, () -> join(flags()));
        assertEquals("run that command again, or 'kjadm etcd reset' first", refused.next());
    }

    @Test
    void aRecordThatCannotBeReadIsNotPassedOver() {
        files.with(PATHS.memberFile().toString(), "{\"founder\": true");
        assertThrows(HostException.class, () -> init(flags()));
    }

    /** The first run saw no member, and the second one sees members of another version. */
    @Test
    void dataThatAreThereAreSetUpWithTheVersionOfTheFirstRun() {
        noted(join(flags(Flag.VERSION, "3.6.14"), RejoinOptions.NONE, true));
        assertEquals(
                new EtcdVersion(3, 6, 14),
                join(flags(Flag.VERSION, "3.6.13"), RejoinOptions.NONE, true)
                        .settings()
                        .version());
    }

    @Test
    void whatKeepsTheDataIsNotCombinedWithWhatGivesThemUp() {
        assertTrue(join(flags(), RejoinOptions.NONE, true).existing());
        for (RejoinOptions other : List.of(
                new RejoinOptions(false, true, false, false, false, Optional.empty()),
                new RejoinOptions(false, false, false, false, false, Optional.of("a655")))) {
            assertThrows(UsageException.class, () -> join(flags(), other, true));
        }
        new JournalFile(files, PATHS.stateDir())
                .write(new JoinEntry(
                        JoinState.PREPARED,
                        "run",
                        "c0ffee",
                        "one",
                        URI.create("https://10.0.0.7:2380"),
                        Instant.EPOCH,
                        List.of(),
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        false));
        assertThrows(UsageException.class, () -> join(flags(), RejoinOptions.NONE, true));
    }

    @ParameterizedTest
    @CsvSource({
        "BIND_ADDRESS, 0.0.0.0",
        "BIND_ADDRESS, etcd.example",
        "BIND_ADDRESS, 127.0.0.1",
        "NAME, a b",
        "VERSION, newest",
        "VERSION, 3.3.25",
        "VERSION, 4.0.0",
        "DATA_DIR, relative/place",
        "DATA_DIR, '/var/lib/e\\ntcd'",
        "INSTALL_DIR, '/opt/$HOME'",
        "CERTS_DIR, '/etc/\"etcd\"'",
        "RELEASE_URL, ftp://releases.example",
        "DISK_PRIORITIES, nonsense",
        "INIT_SYSTEM, kubelet"
    })
    void aValueThatCannotBeUsedIsRefused(Flag flag, String value) {
        assertThrows(UsageException.class, () -> init(flags(flag, value)));
    }

    @Test
    void aDirectoryWithALineEndIsRefused() {
        assertThrows(UsageException.class, () -> init(flags(Flag.DATA_DIR, "/var/lib/e\ntcd")));
    }

    @Test
    void theKeyToABundleComesFromTheEnvironmentOrAFile() {
        assertThrows(UsageException.class, () -> join(flags(Flag.BUNDLE, "/root/b")));
        environment = Map.of(CertificateKeyFlags.VARIABLE, KEY);
        assertEquals(
                KEY,
                join(flags(Flag.BUNDLE, "/root/b"))
                        .options()
                        .certificateKey()
                        .orElseThrow()
                        .hex());
        files.write(Path.of("/root/key"), "f".repeat(64) + "\n", FileMode.OWNER_ONLY);
        assertEquals(
                "f".repeat(64),
                join(flags(Flag.BUNDLE, "/root/b", Flag.CERTIFICATE_KEY_FILE, "/root/key"))
                        .options()
                        .certificateKey()
                        .orElseThrow()
                        .hex());
    }

    @Test
    void aKeyThatOtherAccountsCanReadIsNotUsed() {
        files.write(Path.of("/root/key"), "f".repeat(64), FileMode.WORLD_READABLE);
        assertThrows(
                UsageException.class,
                () -> join(flags(Flag.BUNDLE, "/root/b", Flag.CERTIFICATE_KEY_FILE, "/root/key")));
    }

    @Test
    void aKeyThatIsNoneIsNotRepeated() {
        environment = Map.of(CertificateKeyFlags.VARIABLE, "secret");
        UsageException refused =
                assertThrows(UsageException.class, () -> join(flags(Flag.BUNDLE, "/root/b")));
        assertEquals(
                "the certificate key cannot be used: the certificate key is not made of"
                        + " hexadecimal digits; use the 64 hexadecimal digits that"
                        + " 'kjadm etcd init --bundle' printed",
                refused.getMessage());
    }

    @Test
    void aFounderMakesAKeyItself() {
        assertTrue(
                init(flags(Flag.BUNDLE, "/root/b")).options().certificateKey().isPresent());
        assertTrue(init(flags()).options().certificateKey().isEmpty());
    }
}
