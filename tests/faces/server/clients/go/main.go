// Embeds the texts on standard input:  go run . URL
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	openai "github.com/sashabaranov/go-openai"
)

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		panic(err)
	}
	config := openai.DefaultConfig("k")
	config.BaseURL = os.Args[1]
	answer, err := openai.NewClientWithConfig(config).CreateEmbeddings(context.Background(),
		openai.EmbeddingRequest{Model: "m", Input: texts})
	if err != nil {
		panic(err)
	}
	rows := [][]float32{}
	for _, row := range answer.Data {
		rows = append(rows, row.Embedding)
	}
	out, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}
