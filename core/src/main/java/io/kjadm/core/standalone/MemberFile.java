package io.kjadm.core.standalone;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.config.IpAddresses;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The {@link MemberRecord} of this machine, as JSON on disk; it holds no secret. */
public final class MemberFile {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostFiles files;
    private final Path path;

    public MemberFile(HostFiles files, EtcdHostPaths paths) {
        this.files = files;
        this.path = paths.memberFile();
    }

    /**
     * What is remembered; empty if there is nothing.
     *
     * @throws HostException if it cannot be understood: it tells where the data is, so it is not
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
    static String text(MemberRecord record) {
        MemberSettings settings = record.settings();
        ObjectNode node = JSON.createObjectNode()
                .put("founder", record.founder())
                .put("finished", record.finished())
                .put("token", record.token())
                .put("name", settings.name())
                .put("version", settings.version().toString())
                .put("address", IpAddresses.text(settings.address()))
                .put("dataDir", settings.directories().data().toString())
                .put("certificatesDir", settings.directories().certificates().toString())
                .put("installDir", settings.directories().install().toString());
        settings.serverCertSans().forEach(node.putArray("serverCertSans")::add);
        settings.unitSettings().forEach(node.putArray("unitSettings")::add);
        return node.toPrettyString() + "\n";
    }

    /** Forgets it. */
    public void clear() {
        files.delete(path);
    }

    private MemberRecord parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            MemberSettings settings = new MemberSettings(
                    word(node, "name"),
                    EtcdVersion.parse(word(node, "version")),
                    InetAddress.ofLiteral(word(node, "address")),
                    new Directories(
                            Path.of(word(node, "dataDir")),
                            Path.of(word(node, "certificatesDir")),
                            Path.of(word(node, "installDir"))),
                    words(node, "serverCertSans"),
                    words(node, "unitSettings"));
            return new MemberRecord(
                    settings,
                    field(node, "founder").asBoolean(),
                    field(node, "finished").asBoolean(),
                    word(node, "token"));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new HostException(
                    "%s cannot be understood".formatted(path),
                    e.getMessage(),
                    "it tells what etcd on this machine is like; restore it, or move it away if there is none",
                    e);
        }
    }

    private static List<String> words(JsonNode node, String name) {
        List<String> words = new ArrayList<>();
        field(node, name).forEach(item -> words.add(item.asText()));
        return words;
    }

    private static String word(JsonNode node, String name) {
        return field(node, name).asText();
    }

    private static JsonNode field(JsonNode node, String name) {
        JsonNode value = node == null ? null : node.get(name);
        if (value == null || value.isNull()) {
            throw new IllegalArgumentException("it lacks " + name);
        }
        return value;
    }
}
