package io.kjadm.store;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where a store is: a folder ({@code /backups} or {@code file:///backups}), or a bucket with
 * perhaps a prefix ({@code s3://BUCKET/PREFIX}, {@code gs://BUCKET/PREFIX}) and settings behind a
 * question mark. It never has credentials.
 *
 * @param kind     of the store
 * @param folder   of a folder
 * @param bucket   of a bucket; empty text of a folder
 * @param prefix   of all keys, empty or with a {@code /} at its end
 * @param settings by name
 */
public record StoreUrl(
        Kind kind, Path folder, String bucket, String prefix, Map<String, String> settings) {

    /** The URL of an S3-compatible server; a bucket at AWS has none. */
    public static final String ENDPOINT = "endpoint";
    /** The region that requests are signed for. */
    public static final String REGION = "region";
    /** Whether the bucket is named in the path, as most servers but AWS want it. */
    public static final String PATH_STYLE = "path-style";
    /** A file with the certificates of the CAs that the server is trusted by, PEM. */
    public static final String CA_FILE = "ca-file";
    /** The profile in the shared files of AWS that credentials are taken from. */
    public static final String PROFILE = "profile";

    /** Whether credentials and snapshots may go over plain HTTP to another machine. */
    public static final String INSECURE = "insecure";

    /** Why a request does not go to that host. */
    static final String UNENCRYPTED =
            "the connection to %s is not encrypted, so others on the network can read credentials and snapshots, and replace them; use https, or add insecure=true to the URL of the store";

    private static final Set<String> NO_PART = Set.of("", ".", "..");
    private static final Set<String> SETTINGS =
            Set.of(ENDPOINT, REGION, PATH_STYLE, CA_FILE, PROFILE, INSECURE);

    public StoreUrl {
        settings = Map.copyOf(settings);
    }

    /** What keeps the objects. */
    public enum Kind {
        FOLDER,
        S3,
        /** Google's, by its interoperable interface. */
        GOOGLE
    }

    /**
     * Reads what an operator typed.
     *
     * @throws IllegalArgumentException if it is no place of a store; the message says why
     */
    public static StoreUrl parse(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("it is empty");
        }
        return text.contains("://") ? ofUri(text) : ofFolder(Path.of(text));
    }

    /**
     * Whether two programs that use these reach the same objects. Each machine may mount a folder
     * elsewhere; a bucket of the same name at another server is another one, though it may be a copy.
     */
    public boolean isSamePlaceAs(StoreUrl other) {
        return kind == other.kind
                && bucket.equals(other.bucket)
                && prefix.equals(other.prefix)
                && server().equals(other.server());
    }

    private Optional<URI> server() {
        return Optional.ofNullable(settings.get(ENDPOINT))
                .map(text -> URI.create(text.replaceAll("/+$", "")));
    }

    private static StoreUrl ofFolder(Path folder) {
        return new StoreUrl(Kind.FOLDER, folder.toAbsolutePath().normalize(), "", "", Map.of());
    }

    private static StoreUrl ofUri(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e.getReason() + " at character " + e.getIndex(), e);
        }
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "it has credentials in it, which others on this machine could read");
        }
        return switch (String.valueOf(uri.getScheme())) {
            case "file" -> folder(uri);
            case "s3" -> bucket(Kind.S3, uri);
            case "gs" -> bucket(Kind.GOOGLE, uri);
            case String other ->
                throw new IllegalArgumentException(
                        "\"%s\" is none of file, s3 and gs".formatted(other));
        };
    }

    private static StoreUrl folder(URI uri) {
        boolean elsewhere = uri.getRawAuthority() != null;
        if (elsewhere || uri.getRawQuery() != null || uri.getPath().isEmpty()) {
            throw new IllegalArgumentException("a directory is written file:///PATH");
        }
        return ofFolder(Path.of(uri.getPath()));
    }

    private static StoreUrl bucket(Kind kind, URI uri) {
        if (uri.getRawAuthority() == null || uri.getPort() != -1) {
            throw new IllegalArgumentException(
                    "a bucket is written %s://BUCKET/PREFIX".formatted(uri.getScheme()));
        }
        String prefix = uri.getPath().replaceAll("^/+|/+$", "");
        if (Stream.of(prefix.split("/"))
                .skip(prefix.isEmpty() ? 1 : 0)
                .anyMatch(NO_PART::contains)) {
            throw new IllegalArgumentException(
                    "a prefix has neither \".\" nor \"..\" nor \"//\": not every server keeps these apart from other names");
        }
        return new StoreUrl(
                kind,
                Path.of(""),
                uri.getRawAuthority(),
                prefix.isEmpty() ? "" : prefix + "/",
                settings(uri.getRawQuery()));
    }

    private static Map<String, String> settings(String query) {
        Map<String, String> settings = new TreeMap<>();
        if (query == null) {
            return settings;
        }
        for (String part : query.split("&")) {
            int split = part.indexOf('=');
            String name = split < 0 ? part : part.substring(0, split);
            if (split < 0 || !SETTINGS.contains(name)) {
                throw new IllegalArgumentException("\"%s\" is none of %s"
                        .formatted(
                                name,
                                SETTINGS.stream()
                                        .sorted()
                                        .map(setting -> setting + "=…")
                                        .collect(Collectors.joining(", "))));
            }
            settings.put(
                    name, URLDecoder.decode(part.substring(split + 1), StandardCharsets.UTF_8));
        }
        requireChoice(settings, PATH_STYLE);
        requireChoice(settings, INSECURE);
        Optional.ofNullable(settings.get(ENDPOINT))
                .map(StoreUrl::endpoint)
                .filter(endpoint -> !isTrusted(endpoint, settings))
                .ifPresent(endpoint -> {
                    throw new IllegalArgumentException(UNENCRYPTED.formatted(endpoint.getHost()));
                });
        return settings;
    }

    private static void requireChoice(Map<String, String> settings, String name) {
        String choice = settings.getOrDefault(name, "true");
        if (!Arrays.asList("true", "false").contains(choice)) {
            throw new IllegalArgumentException(
                    "%s=%s is neither true nor false".formatted(name, choice));
        }
    }

    /** Whether others on the network cannot read what is sent there, or that was accepted. */
    private static boolean isTrusted(URI server, Map<String, String> settings) {
        return server.getScheme().equalsIgnoreCase("https")
                || isLoopback(server.getHost())
                || "true".equals(settings.get(INSECURE));
    }

    /** {@link #isTrusted} of a server that requests go to, however the client came to know it. */
    boolean trusts(URI server) {
        return isTrusted(server, settings);
    }

    private static URI endpoint(String text) {
        try {
            URI endpoint = new URI(text);
            boolean known = endpoint.getScheme() != null
                    && endpoint.getScheme().matches("(?i)https?")
                    && endpoint.getHost() != null;
            if (known && endpoint.getRawUserInfo() == null) {
                return endpoint;
            }
        } catch (URISyntaxException e) {
            // the same answer as for every other text that is no such URL
        }
        throw new IllegalArgumentException(
                "%s is not an http or https URL of a server".formatted(ENDPOINT));
    }

    /** Addresses and the one name that RFC 6761 reserves; no name is looked up. */
    private static boolean isLoopback(String host) {
        return host.equalsIgnoreCase("localhost")
                || host.matches("127(\\.[0-9]{1,3}){3}")
                || host.equals("[::1]");
    }

    /** A setting, if it is there. */
    public Optional<String> setting(String name) {
        return Optional.ofNullable(settings.get(name));
    }

    /** As it may be typed again, without settings. */
    @Override
    public String toString() {
        return switch (kind) {
            case FOLDER -> folder.toString();
            case S3 -> "s3://" + bucket + "/" + prefix;
            case GOOGLE -> "gs://" + bucket + "/" + prefix;
        };
    }
}
