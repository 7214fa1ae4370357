// Makes foreign_java_*.parquet and texts_java*.parquet with parquet-java 1.15.2, the library of Spark, Hive, Flink and Trino:
//   java -cp 'JARS/*' MakeForeign.java FOLDER
// JARS has org.apache.parquet:parquet-hadoop:1.15.2 and org.apache.hadoop:hadoop-client-{api,runtime}:3.3.6 and org.lz4:lz4-java:1.8.0 with
// what they need.
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

public class MakeForeign {
  static final int ROWS = 30, DIM = 4, TEXTS = 40;

  static void write(Path path, MessageType schema, int rows, WriterVersion version, CompressionCodecName codec,
                    boolean dictionary, BiConsumer<Integer, Group> fill) throws IOException {
    var factory = new SimpleGroupFactory(schema);
    try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new LocalOutputFile(path)).withType(schema)
             .withConf(new Configuration()).withWriterVersion(version).withCompressionCodec(codec)
             .withDictionaryEncoding(dictionary).withPageRowCountLimit(11).withPageWriteChecksumEnabled(true).build()) {
      for (int i = 0; i < rows; ++i) {
        Group group = factory.newGroup();
        fill.accept(i, group);
        writer.write(group);
      }
    }
  }

  static int number(WriterVersion version) { return version == WriterVersion.PARQUET_1_0 ? 1 : 2; }

  static void fillVector(Group row, int i) {
    Group list = row.addGroup("embedding");
    for (int j = 0; j < DIM; ++j) list.addGroup("list").append("element", (i * DIM + j) / 8.0f - 3);
  }

  /** 16 bytes that count up from 16 times the number of the row. */
  static Binary uuid(int i) {
    byte[] bytes = new byte[16];
    for (int j = 0; j < 16; ++j) bytes[j] = (byte) (16 * i + j);
    return Binary.fromConstantByteArray(bytes);
  }

  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    var vectors = "message v { optional group embedding (LIST) { repeated group list { optional float element; } } ";
    var uuids = MessageTypeParser.parseMessageType(
        vectors + "required fixed_len_byte_array(16) id (UUID); optional binary text (STRING); }");
    // Spark's form: pages of version 1, Snappy, dictionaries; the columns without repetition levels name BIT_PACKED for them.
    for (var version : WriterVersion.values())
      for (boolean dictionary : new boolean[] {true, false})
        write(folder.resolve("foreign_java_" + number(version) + (dictionary ? "_dictionary" : "") + ".parquet"),
              uuids, ROWS, version, dictionary ? CompressionCodecName.SNAPPY : CompressionCodecName.UNCOMPRESSED, dictionary,
              (i, row) -> { fillVector(row, i); row.append("id", uuid(i)).append("text", "text " + i / 3); });
    var longs = MessageTypeParser.parseMessageType(vectors + "optional int64 id; }");
    for (var codec : new CompressionCodecName[] {CompressionCodecName.LZ4_RAW, CompressionCodecName.LZ4, CompressionCodecName.ZSTD})
      write(folder.resolve("foreign_java_" + codec.toString().toLowerCase() + ".parquet"), longs, ROWS,
            WriterVersion.PARQUET_2_0, codec, false, (i, row) -> { fillVector(row, i); row.append("id", 1000L * i); });
    var texts = MessageTypeParser.parseMessageType("message t { optional binary query (STRING); optional binary text (STRING); "
        + "required binary key (STRING); optional int64 n; optional double weight; }");
    for (var version : WriterVersion.values())
      write(folder.resolve("texts_java_" + number(version) + ".parquet"), texts, TEXTS, version,
            CompressionCodecName.GZIP, version == WriterVersion.PARQUET_1_0,
            (i, row) -> row.append("query", "question " + i / 5)
                .append("text", i == 7 ? "" : "naïve answer " + i + ", 東京").append("key", "k" + i)
                .append("n", 100L + i).append("weight", i / 4.0));
  }
}
