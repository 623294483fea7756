package main

import (
	"context"
	"iter"
	"strings"
	"time"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"
)

// benchModel is the model of agents/bench: it answers as the newest user message orders.
type benchModel struct{}

func (benchModel) Name() string { return "bench" }

func (benchModel) GenerateContent(ctx context.Context, request *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	asked := readOrder(userText(request.Contents))
	return func(yield func(*model.LLMResponse, error) bool) {
		switch {
		case asked.fill > 0:
			for range asked.fill {
				if !yield(answer("ok"), nil) {
					return
				}
			}
		case asked.small:
			yield(answer("ok"), nil)
		default:
			answerInChunks(ctx, asked, stream, yield)
		}
	}
}

func answerInChunks(ctx context.Context, asked order, stream bool, yield func(*model.LLMResponse, error) bool) {
	text := strings.Repeat("x", asked.characters)
	if !stream && !pause(ctx, asked.pause*time.Duration(asked.chunks)) {
		yield(nil, ctx.Err())
		return
	}
	for index := 0; stream && index < asked.chunks; index++ {
		if !pause(ctx, asked.pause) {
			yield(nil, ctx.Err())
			return
		}
		chunk := answer(text)
		chunk.Partial = true
		if !yield(chunk, nil) {
			return
		}
	}
	complete := answer("ok")
	if !asked.brief {
		complete = answer(strings.Repeat(text, asked.chunks))
	}
	complete.FinishReason = genai.FinishReasonStop
	yield(complete, nil)
}

// pause waits, and reports false if the run was cancelled before the end.
func pause(ctx context.Context, duration time.Duration) bool {
	if duration == 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func answer(text string) *model.LLMResponse {
	return &model.LLMResponse{Content: genai.NewContentFromText(text, genai.RoleModel)}
}

// userText returns the text of the last user message that has one.
func userText(contents []*genai.Content) string {
	for index := len(contents) - 1; index >= 0; index-- {
		content := contents[index]
		if content.Role == genai.RoleUser && len(content.Parts) > 0 && content.Parts[0].Text != "" {
			return content.Parts[0].Text
		}
	}
	return ""
}
