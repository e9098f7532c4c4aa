package io.kjadm.core.etcd.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.EtcdVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Optional;

/** A member that etcdadm has set up, and what is not set up as it does. */
class ForeignMemberTest {

    /** As etcdadm 0.1.5 fills its templates. */
    private static final String ENVIRONMENT = """
            ETCD_NAME=node2

            # Initial cluster configuration
            ETCD_INITIAL_CLUSTER=node1=https://10.0.0.1:2380,node2=https://10.0.0.2:2380
            ETCD_INITIAL_CLUSTER_TOKEN=9f3c
            ETCD_INITIAL_CLUSTER_STATE=existing

            # Peer configuration
            ETCD_INITIAL_ADVERTISE_PEER_URLS=https://10.0.0.2:2380
            ETCD_LISTEN_PEER_URLS=https://10.0.0.2:2380

            ETCD_CLIENT_CERT_AUTH=true
            ETCD_PEER_CERT_FILE=/etc/etcd/pki/peer.crt
            ETCD_PEER_KEY_FILE=/etc/etcd/pki/peer.key
            ETCD_PEER_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt

            # Client/server configuration
            ETCD_ADVERTISE_CLIENT_URLS=https://10.0.0.2:2379
            ETCD_LISTEN_CLIENT_URLS=https://10.0.0.2:2379,https://127.0.0.1:2379

            ETCD_PEER_CLIENT_CERT_AUTH=true
            ETCD_CERT_FILE=/etc/etcd/pki/server.crt
            ETCD_KEY_FILE=/etc/etcd/pki/server.key
            ETCD_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt

            # Other
            ETCD_DATA_DIR=/var/lib/etcd
            ETCD_STRICT_RECONFIG_CHECK=true
            GOMAXPROCS=2
            """;

    private static final String UNIT = """
            [Service]
            EnvironmentFile=/etc/etcd/etcd.env
            ExecStart=/opt/bin/etcd

            Type=notify
            """;

    private static final EtcdVersion RUNNING = EtcdVersion.parse("3.5.16");

    private final MemoryFiles files = new MemoryFiles()
            .with("/etc/etcd/etcd.env", ENVIRONMENT)
            .with("/etc/systemd/system/etcd.service", UNIT);

    private ForeignMember member() {
        return new ForeignMember(files, EtcdHostPaths.standard());
    }

    @Test
    void itsRecordIsThatOfAMemberThatServes() {
        MemberRecord record = member().record(RUNNING);
        assertEquals(Optional.empty(), member().objection());
        assertTrue(record.finished());
        assertEquals("9f3c", record.token());
        assertEquals("node2", record.settings().name());
        assertEquals(RUNNING, record.settings().version());
        assertEquals(InetAddress.ofLiteral("10.0.0.2"), record.settings().address());
        assertEquals(Path.of("/var/lib/etcd"), record.settings().directories().data());
        assertEquals(Path.of("/etc/etcd/pki"), record.settings().directories().certificates());
        assertEquals(Path.of("/opt/bin"), record.settings().directories().install());
        assertEquals(false, record.founder());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ETCD_NAME=node2| ETCD_NAME=",
                "PEER_URLS=https://10.0.0.2:2380| PEER_URLS=https://node2:2380",
                "PEER_URLS=https://10.0.0.2:2380| PEER_URLS=https://10.0.0.2:7001",
                "PEER_URLS=https://10.0.0.2:2380| PEER_URLS=http://10.0.0.2:2380",
                "CLIENT_URLS=https://10.0.0.2:2379| CLIENT_URLS=https://10.0.0.2:2379,https://node2:2379",
                "ETCD_PEER_CERT_FILE=/etc/etcd/pki/peer.crt| ETCD_PEER_CERT_FILE=/etc/etcd/pki/server.crt",
                "ETCD_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt| ETCD_TRUSTED_CA_FILE=/etc/ssl/ca.crt",
                "ETCD_DATA_DIR=/var/lib/etcd| DATA_DIR=/var/lib/etcd",
                "ETCD_DATA_DIR=/var/lib/etcd| ETCD_DATA_DIR=node2.etcd",
                "ETCD_CERT_FILE=/etc/etcd/pki/server.crt| ETCD_CERT_FILE=server.crt",
                "PEER_URLS=https://10.0.0.2:2380| PEER_URLS=a b",
            })
    void otherFlagsAreRefused(String flag, String other) {
        files.with("/etc/etcd/etcd.env", ENVIRONMENT.replace(flag, other));
        assertThrows(HostException.class, () -> member().record(RUNNING));
        assertTrue(member().objection().isPresent());
    }

    @ParameterizedTest
    @CsvSource({
        "EnvironmentFile=/etc/etcd/etcd.env, EnvironmentFile=/etc/default/etcd",
        "ExecStart=/opt/bin/etcd, ExecStart=/opt/bin/etcd --quota-backend-bytes=0",
        "ExecStart=/opt/bin/etcd, ExecStart=etcd"
    })
    void anotherUnitIsRefused(String line, String other) {
        files.with("/etc/systemd/system/etcd.service", UNIT.replace(line, other));
        assertTrue(member().objection().isPresent());
    }

    @Test
    void aMachineWithoutTheUnitIsRefused() {
        files.delete(Path.of("/etc/systemd/system/etcd.service"));
        assertTrue(member().objection().isPresent());
    }
}
