//go:build ignore

// Makes foreign_go_*.parquet with arrow-go 18.8.0:  go run make_foreign.go FOLDER
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

const rows, dim = 30, 4

func main() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "embedding", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32), Nullable: true},
		{Name: "id", Type: arrow.PrimitiveTypes.Uint16, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	list := builder.Field(0).(*array.ListBuilder)
	for i := 0; i < rows; i++ {
		list.Append(true)
		for j := 0; j < dim; j++ {
			list.ValueBuilder().(*array.Float32Builder).Append(float32(i*dim+j)/8 - 3)
		}
		builder.Field(1).(*array.Uint16Builder).Append(uint16(65000 + i))
		builder.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("text %d", i/3))
	}
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{builder.NewRecordBatch()})
	for name, options := range map[string][]parquet.WriterProperty{
		"1": {parquet.WithVersion(parquet.V1_0), parquet.WithCompression(compress.Codecs.Snappy)},
		"2": {parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(64),
			parquet.WithEncodingFor("embedding.list.element", parquet.Encodings.ByteStreamSplit),
			parquet.WithEncodingFor("id", parquet.Encodings.DeltaBinaryPacked),
			parquet.WithEncodingFor("text", parquet.Encodings.DeltaLengthByteArray)},
	} {
		file, err := os.Create(filepath.Join(os.Args[1], "foreign_go_"+name+".parquet"))
		if err == nil {
			err = pqarrow.WriteTable(table, file, 20, parquet.NewWriterProperties(options...), pqarrow.DefaultWriterProps())
		}
		if err != nil {
			panic(err)
		}
	}
}
