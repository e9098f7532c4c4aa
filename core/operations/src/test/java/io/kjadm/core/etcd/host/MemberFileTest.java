package io.kjadm.core.etcd.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The record of this machine's member on disk, and what is wrong with a damaged one. */
class MemberFileTest {

    private static final MemberRecord RECORD = new MemberRecord(
            new MemberSettings(
                    "etcd1",
                    EtcdVersion.parse("3.6.14"),
                    InetAddress.ofLiteral("10.0.0.11"),
                    new Directories(
                            Path.of("/var/lib/etcd"),
                            Path.of("/etc/etcd/pki"),
                            Path.of("/opt/bin")),
                    List.of("etcd.example"),
                    List.of("Nice=-10")),
            true,
            false,
            "kjadm-1");

    private final MemoryFiles files = new MemoryFiles();
    private final String path = EtcdHostPaths.standard().memberFile().toString();
    private final MemberFile file = new MemberFile(files, EtcdHostPaths.standard());

    @Test
    void whatIsWrittenIsRead() {
        assertEquals(Optional.empty(), file.read());
        file.write(RECORD);
        assertEquals(Optional.of(RECORD), file.read());
        file.clear();
        assertEquals(Optional.empty(), file.read());
    }

    @Test
    void aDamagedOneIsRefusedWithWhatIsWrong() {
        String whole = MemberFile.text(RECORD);
        Map<String, String> faults = new LinkedHashMap<>();
        faults.put("", "it does not have the form that kjadm writes");
        faults.put(
                whole.replace("\"address\"", "\"adress\""),
                "its field address is missing, or has a value that it cannot have");
        faults.put(
                whole.replace("3.6.14", "3.x"),
                "its field version is missing, or has a value that it cannot have");
        faults.put(whole.replace("10.0.0.11", "etcd1"), "its field address is no IP address");
        faults.forEach((text, fault) -> {
            files.with(path, text);
            HostException refused = assertThrows(HostException.class, file::read);
            assertEquals(path + " cannot be read", refused.what());
            assertEquals(fault, refused.why());
        });
    }
}
