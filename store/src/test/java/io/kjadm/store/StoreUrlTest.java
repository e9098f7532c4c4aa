package io.kjadm.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.store.StoreUrl.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Optional;

class StoreUrlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"/var/backups", "/var/backups/", "/var/./backups", "file:///var/backups"})
    void aFolderIsAPathOrAUrl(String text) {
        StoreUrl url = StoreUrl.parse(text);
        assertEquals(Kind.FOLDER, url.kind());
        assertEquals(Path.of("/var/backups"), url.folder());
        assertEquals("/var/backups", url.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "s3://bucket, S3, bucket, ''",
        "s3://bucket/, S3, bucket, ''",
        "s3://bucket/cluster/one, S3, bucket, cluster/one/",
        "gs://bucket/cluster/, GOOGLE, bucket, cluster/",
    })
    void aBucketMayHaveAPrefix(String text, Kind kind, String bucket, String prefix) {
        StoreUrl url = StoreUrl.parse(text);
        assertEquals(kind, url.kind());
        assertEquals(bucket, url.bucket());
        assertEquals(prefix, url.prefix());
    }

    @ParameterizedTest
    @CsvSource({
        "/mnt/a, /srv/b, true",
        "s3://b/p, s3://b/p/?region=eu-1, true",
        "s3://b/p?endpoint=https://m:9000, s3://b/p?endpoint=https://m:9000/, true",
        "s3://b/p, s3://b/q, false",
        "s3://b/p, s3://c/p, false",
        "s3://b/p, gs://b/p, false",
        "s3://b/p, s3://b/p?endpoint=https://m:9000, false",
        "/mnt/a, s3://b/p, false",
    })
    void programsReachTheSameObjectsByTheSameBucketAtTheSameServer(
            String one, String other, boolean same) {
        assertEquals(same, StoreUrl.parse(one).isSamePlaceAs(StoreUrl.parse(other)));
        assertEquals(same, StoreUrl.parse(other).isSamePlaceAs(StoreUrl.parse(one)));
    }

    @Test
    void settingsStandBehindAQuestionMark() {
        StoreUrl url = StoreUrl.parse(
                "s3://b/p?endpoint=https%3A%2F%2Fminio:9000&region=eu-1&path-style=false");
        assertEquals(Optional.of("https://minio:9000"), url.setting(StoreUrl.ENDPOINT));
        assertEquals(Optional.of("eu-1"), url.setting(StoreUrl.REGION));
        assertEquals(Optional.of("false"), url.setting(StoreUrl.PATH_STYLE));
        assertEquals("s3://b/p/", url.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "s3://key:secret@bucket/p, credentials",
        "ftp://host/p, ftp",
        "file://host/p, file:///PATH",
        "s3:///p, s3://BUCKET/PREFIX",
        "s3://b?colour=red, colour",
        "s3://b?path-style=perhaps, perhaps",
        "s3://b?insecure=perhaps, perhaps",
        "s3://b?endpoint=minio, endpoint",
        "s3://b?endpoint=ftp://minio, endpoint",
        "s3://b?endpoint=http://10.0.0.5:9000, insecure=true",
        "s3://b?endpoint=http://10.0.0.5:9000&insecure=false, insecure=true",
        "s3://b?endpoint=HTTP://127.0.0.1.example, insecure=true",
        "s3://b?endpoint=http%3A%2F%2Fminio:9000, insecure=true",
        "s3://b/p/../q, ..",
        "s3://b/./p, .",
        "s3://b/p//q, //",
        "gs://b/%2E%2E, ..",
        "mounts://b, mounts",
        "/backups://b, none of file",
        "'', empty",
    })
    void whatIsNoStoreIsRefusedWithItsReason(String text, String named) {
        var refusal = assertThrows(IllegalArgumentException.class, () -> StoreUrl.parse(text));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://b?endpoint=https://minio:9000",
                "s3://b?endpoint=http://127.0.0.1:9000",
                "s3://b?endpoint=http://[::1]:9000",
                "s3://b?endpoint=http://localhost",
                "s3://b?endpoint=http://minio:9000&insecure=true"
            })
    void plainHttpStaysOnThisMachineUnlessItIsAskedFor(String text) {
        assertEquals("b", StoreUrl.parse(text).bucket());
    }
}
