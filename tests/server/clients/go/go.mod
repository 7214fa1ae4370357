module embd/clients

go 1.22

require github.com/sashabaranov/go-openai v1.41.1
