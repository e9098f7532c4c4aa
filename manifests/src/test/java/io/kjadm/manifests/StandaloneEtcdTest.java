package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.manifests.StandaloneEtcd.Directories;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

class StandaloneEtcdTest {

    private static final Directories DIRECTORIES = new Directories(
            Path.of("/var/lib/etcd"), Path.of("/etc/etcd/pki"), Path.of("/opt/bin"));

    private static StandaloneEtcd.Input input(String version, String address, String name) {
        return new StandaloneEtcd.Input(
                name,
                ImageVersion.fromTag(version).orElseThrow(),
                InetAddress.ofLiteral(address),
                DIRECTORIES,
                new InitialCluster(
                        "c0ffee",
                        false,
                        List.of(new NameAndUrl(name, URI.create("https://10.0.0.1:2380")))));
    }

    /** The values of a setting, in the order of its lines. */
    private static List<String> settings(String text, String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .toList();
    }

    @Test
    void theEnvironmentOfAFounder() {
        assertEquals("""
                ETCD_NAME=one
                ETCD_DATA_DIR=/var/lib/etcd
                ETCD_INITIAL_CLUSTER=one=https://10.0.0.1:2380
                ETCD_INITIAL_CLUSTER_TOKEN=c0ffee
                ETCD_INITIAL_CLUSTER_STATE=new
                ETCD_INITIAL_ADVERTISE_PEER_URLS=https://10.0.0.1:2380
                ETCD_LISTEN_PEER_URLS=https://10.0.0.1:2380
                ETCD_ADVERTISE_CLIENT_URLS=https://10.0.0.1:2379
                ETCD_LISTEN_CLIENT_URLS=https://10.0.0.1:2379,https://127.0.0.1:2379
                ETCD_LISTEN_METRICS_URLS=http://127.0.0.1:2381
                ETCD_CLIENT_CERT_AUTH=true
                ETCD_CERT_FILE=/etc/etcd/pki/server.crt
                ETCD_KEY_FILE=/etc/etcd/pki/server.key
                ETCD_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt
                ETCD_PEER_CLIENT_CERT_AUTH=true
                ETCD_PEER_CERT_FILE=/etc/etcd/pki/peer.crt
                ETCD_PEER_KEY_FILE=/etc/etcd/pki/peer.key
                ETCD_PEER_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt
                ETCD_STRICT_RECONFIG_CHECK=true
                ETCD_SNAPSHOT_COUNT=10000
                ETCD_FEATURE_GATES=InitialCorruptCheck=true
                ETCD_WATCH_PROGRESS_NOTIFY_INTERVAL=5s
                """, StandaloneEtcd.environment(input("3.6.8", "10.0.0.1", "one")));
    }

    @Test
    void anOlderEtcdKnowsOtherNames() {
        String text = StandaloneEtcd.environment(input("3.5.30", "10.0.0.1", "one"));
        assertTrue(text.endsWith("""
                ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK=true
                ETCD_EXPERIMENTAL_WATCH_PROGRESS_NOTIFY_INTERVAL=5s
                """), text);
        assertEquals(List.of(), settings(text, "ETCD_FEATURE_GATES"));
    }

    @Test
    void ipv6StandsInBrackets() {
        String text = StandaloneEtcd.environment(input("3.6.8", "2001:db8::1", "one"));
        assertEquals(
                List.of("https://[2001:db8::1]:2379,https://[::1]:2379"),
                settings(text, "ETCD_LISTEN_CLIENT_URLS"));
        assertEquals(List.of("http://[::1]:2381"), settings(text, "ETCD_LISTEN_METRICS_URLS"));
    }

    @Test
    void aJoiningMemberNamesAllAndSaysSo() {
        StandaloneEtcd.Input founder = input("3.6.8", "10.0.0.2", "two");
        String text = StandaloneEtcd.environment(new StandaloneEtcd.Input(
                "two",
                founder.version(),
                founder.address(),
                DIRECTORIES,
                new InitialCluster(
                        "",
                        true,
                        List.of(
                                new NameAndUrl("one", URI.create("https://10.0.0.1:2380")),
                                new NameAndUrl("two", URI.create("https://10.0.0.2:2380"))))));
        assertEquals(
                List.of("one=https://10.0.0.1:2380,two=https://10.0.0.2:2380"),
                settings(text, "ETCD_INITIAL_CLUSTER"));
        assertEquals(List.of("existing"), settings(text, "ETCD_INITIAL_CLUSTER_STATE"));
    }

    @Test
    void whatAShellWouldReadOtherwiseIsQuoted() {
        String text = StandaloneEtcd.environment(new StandaloneEtcd.Input(
                "one",
                new ImageVersion(3, 6, 8),
                InetAddress.ofLiteral("10.0.0.1"),
                new Directories(
                        Path.of("/var/my $data"), Path.of("/etc/etcd/pki"), Path.of("/opt/bin")),
                new InitialCluster("c0ffee", false, List.of())));
        assertEquals(List.of("\"/var/my \\$data\""), settings(text, "ETCD_DATA_DIR"));
    }

    @Test
    void theUnit() {
        assertEquals(
                """
                [Unit]
                Description=etcd
                Documentation=https://etcd.io/docs
                Conflicts=etcd-member.service etcd2.service
                Wants=network-online.target
                After=network-online.target
                # a data directory whose file system is not mounted is not an empty one
                RequiresMountsFor=/var/lib/etcd

                [Service]
                Type=notify
                EnvironmentFile=/etc/etcd/etcd.env
                ExecStart=/opt/bin/etcd
                # a member that receives a large database is ready late
                TimeoutStartSec=0
                Restart=on-failure
                RestartSec=5s
                LimitNOFILE=65536
                MemoryLow=200M
                # it writes to its data directory alone
                ProtectSystem=strict
                ReadWritePaths=/var/lib/etcd
                ProtectHome=yes
                PrivateTmp=yes
                # what root may do is of no use to it, except to reach data of another owner
                CapabilityBoundingSet=CAP_DAC_OVERRIDE
                NoNewPrivileges=yes
                PrivateDevices=yes
                ProtectClock=yes
                ProtectControlGroups=yes
                ProtectHostname=yes
                ProtectKernelLogs=yes
                ProtectKernelModules=yes
                ProtectKernelTunables=yes
                RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
                RestrictNamespaces=yes
                RestrictSUIDSGID=yes
                LockPersonality=yes
                MemoryDenyWriteExecute=yes
                SystemCallArchitectures=native
                Nice=-10
                IOSchedulingPriority=2

                [Install]
                WantedBy=multi-user.target
                """,
                StandaloneEtcd.unit(
                        Path.of("/etc/etcd/etcd.env"),
                        DIRECTORIES,
                        List.of("Nice=-10", "IOSchedulingPriority=2")));
    }

    private static String unit(String environment, String data, String certificates, String bin) {
        return StandaloneEtcd.unit(
                Path.of(environment),
                new Directories(Path.of(data), Path.of(certificates), Path.of(bin)),
                List.of());
    }

    @Test
    void pathsInTheUnitAreQuoted() {
        String text = unit("/etc/my etcd/100%.env", "/data/my etcd", "/etc/pki", "/opt/50%/my bin");
        assertEquals(List.of("/etc/my etcd/100%%.env"), settings(text, "EnvironmentFile"));
        assertEquals(List.of("\"/opt/50%%/my bin/etcd\""), settings(text, "ExecStart"));
        assertEquals(List.of("\"/data/my etcd\""), settings(text, "ReadWritePaths"));
        assertEquals(List.of("\"/data/my etcd\""), settings(text, "RequiresMountsFor"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a\nUser=x", "/a\rb", "/a\"b", "/a\\b", "/a$b", "/a`b", "relative"})
    void aPathThatMeansSomethingElseInAUnitIsRefused(String path) {
        assertFalse(StandaloneEtcd.isUnitPath(Path.of(path)));
        assertThrows(
                IllegalArgumentException.class,
                () -> unit("/etc/etcd.env", path, "/etc/pki", "/opt/bin"));
    }

    @Test
    void whatIsBelowHomeOrTmpStaysVisible() {
        String home = unit("/etc/etcd.env", "/var/lib/etcd", "/root/pki", "/opt/bin");
        assertEquals(List.of(), settings(home, "ProtectHome"));
        assertEquals(List.of("yes"), settings(home, "PrivateTmp"));
        String tmp = unit("/etc/etcd.env", "/var/tmp/etcd", "/etc/pki", "/opt/bin");
        assertEquals(List.of("yes"), settings(tmp, "ProtectHome"));
        assertEquals(List.of(), settings(tmp, "PrivateTmp"));
    }

    @Test
    void etcdctlFindsTheMember() {
        assertEquals(
                """
                ETCDCTL_ENDPOINTS=https://[2001:db8::1]:2379
                ETCDCTL_CACERT=/etc/etcd/pki/ca.crt
                ETCDCTL_CERT=/etc/etcd/pki/etcdctl-etcd-client.crt
                ETCDCTL_KEY=/etc/etcd/pki/etcdctl-etcd-client.key
                ETCDCTL_DIAL_TIMEOUT=3s
                """,
                StandaloneEtcd.etcdctlEnvironment(
                        InetAddress.ofLiteral("2001:db8::1"), Path.of("/etc/etcd/pki")));
        assertTrue(
                StandaloneEtcd.etcdctlWrapper(Path.of("/etc/etcd/etcdctl.env"), Path.of("/opt/bin"))
                        .endsWith("""
                        set -a
                        . "/etc/etcd/etcdctl.env"
                        set +a
                        exec "/opt/bin/etcdctl" "$@"
                        """));
    }
}
