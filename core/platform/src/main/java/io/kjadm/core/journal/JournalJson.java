package io.kjadm.core.journal;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;

import io.kjadm.core.host.JsonInput;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.MachineId;

import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Records as JSON, one field for each component. An {@code Optional} without a value has no field,
 * and a missing collection is an empty one; any other missing field is an error, a number or a
 * truth value excepted. Fields that a record does not have are passed over.
 */
public final class JournalJson {

    private static final ObjectMapper MAPPER = mapper();

    private JournalJson() {}

    /** One that has not read or written anything. */
    static ObjectMapper mapper() {
        SimpleModule types = new SimpleModule();
        text(types, Instant.class, Instant::parse, Instant::toString);
        text(types, Path.class, Path::of, Path::toString);
        text(types, Duration.class, Duration::parse, Duration::toString);
        text(types, MachineId.class, MachineId::new, MachineId::toString);
        text(types, MemberId.class, MemberId::parse, MemberId::toString);
        text(types, EtcdVersion.class, EtcdVersion::parse, EtcdVersion::toString);
        types.addSerializer(new OptionalWriter());
        types.addDeserializer(Optional.class, new OptionalReader(null));
        ObjectMapper mapper = JsonMapper.builder()
                .addModule(types)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .build();
        mapper.configOverride(Optional.class)
                .setInclude(JsonInclude.Value.construct(
                        JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS));
        for (Class<?> collection : List.of(List.class, Set.class, Map.class)) {
            mapper.configOverride(collection)
                    .setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY));
        }
        return mapper;
    }

    private static <V> void text(
            SimpleModule types,
            Class<V> type,
            Function<String, V> parse,
            Function<? super V, String> format) {
        types.addDeserializer(type, new TextReader<>(type, parse));
        types.addSerializer(type, new TextWriter<>(type, format));
    }

    /** The record as an object. */
    public static ObjectNode tree(Object record) {
        return MAPPER.valueToTree(record);
    }

    /** An object as it is written, for people to read, too. */
    public static String text(JsonNode node) {
        return node.toPrettyString() + "\n";
    }

    /**
     * The text as an object.
     *
     * @throws JsonProcessingException if it is none
     */
    public static JsonNode parse(String text) throws JsonProcessingException {
        JsonNode node = MAPPER.readTree(text);
        if (!node.isObject()) {
            throw new JsonParseException(null, "it is no JSON object");
        }
        return node;
    }

    /**
     * The object as a record.
     *
     * @throws JsonProcessingException if a component is missing, or has a value that it cannot have
     */
    public static <T> T read(JsonNode node, Class<T> type) throws JsonProcessingException {
        return MAPPER.treeToValue(node, type);
    }

    /** Why a text is no record, in words for an operator. */
    static String fault(Exception failure) {
        return failure instanceof JsonProcessingException json
                ? JsonInput.fault(json)
                : failure.getMessage();
    }

    private static final class TextReader<V> extends StdDeserializer<V> {

        private static final long serialVersionUID = 1;

        private final transient Function<String, V> parse;

        TextReader(Class<V> type, Function<String, V> parse) {
            super(type);
            this.parse = parse;
        }

        @Override
        public V deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            String text = parser.getValueAsString("");
            try {
                return parse.apply(text);
            } catch (IllegalArgumentException | DateTimeException e) {
                throw context.weirdStringException(text, handledType(), e.getMessage());
            }
        }
    }

    private static final class TextWriter<V> extends StdSerializer<V> {

        private static final long serialVersionUID = 1;

        private final transient Function<? super V, String> format;

        TextWriter(Class<V> type, Function<? super V, String> format) {
            super(type);
            this.format = format;
        }

        @Override
        public void serialize(V value, JsonGenerator generator, SerializerProvider provider)
                throws IOException {
            generator.writeString(format.apply(value));
        }
    }

    private static final class OptionalReader extends StdDeserializer<Optional<?>>
            implements ContextualDeserializer {

        private static final long serialVersionUID = 1;

        private final transient JsonDeserializer<?> inner;

        OptionalReader(JsonDeserializer<?> inner) {
            super(Optional.class);
            this.inner = inner;
        }

        @Override
        public JsonDeserializer<?> createContextual(
                DeserializationContext context, BeanProperty property) throws JsonMappingException {
            JavaType type = context.getContextualType();
            return new OptionalReader(context.findContextualValueDeserializer(
                    type.containedTypeOrUnknown(0), property));
        }

        @Override
        public Optional<?> deserialize(JsonParser parser, DeserializationContext context)
                throws IOException {
            return Optional.of(inner.deserialize(parser, context));
        }

        @Override
        public Optional<?> getNullValue(DeserializationContext context) {
            return Optional.empty();
        }
    }

    private static final class OptionalWriter extends StdSerializer<Optional<?>> {

        private static final long serialVersionUID = 1;

        OptionalWriter() {
            super(Optional.class, false);
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, Optional<?> value) {
            return value.isEmpty();
        }

        @Override
        public void serialize(
                Optional<?> value, JsonGenerator generator, SerializerProvider provider)
                throws IOException {
            provider.defaultSerializeValue(value.orElse(null), generator);
        }
    }
}
