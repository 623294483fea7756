// The REST server of ADK for Go with the agent "bench", whose model obeys words in the user's text.
// It is a peer of the benchmark: sessions, artifacts and memory are in memory, spans go to the server's debug store as
// the launcher of ADK arranges it, and requests are not logged.
//
//	go run . 127.0.0.1:8150
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/artifact"
	"google.golang.org/adk/v2/memory"
	"google.golang.org/adk/v2/server/adkrest"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/telemetry"
)

// The limits that ADK's launcher has by default.
const (
	requestTimeout = 15 * time.Second
	idleTimeout    = 60 * time.Second
	streamTimeout  = 120 * time.Second
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("expected one argument: the address to listen at, such as 127.0.0.1:8150")
	}
	if err := serve(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, address string) error {
	bench, err := llmagent.New(llmagent.Config{
		Name:        "bench",
		Description: "For measurements: its model obeys words in the user's text.",
		Model:       benchModel{},
		Instruction: "Obey the words.",
	})
	if err != nil {
		return err
	}
	server, err := adkrest.NewServer(adkrest.ServerConfig{
		AgentLoader:     agent.NewSingleLoader(bench),
		SessionService:  session.InMemoryService(),
		ArtifactService: artifact.InMemoryService(),
		MemoryService:   memory.InMemoryService(),
		SSEWriteTimeout: streamTimeout,
	})
	if err != nil {
		return err
	}
	providers, err := telemetry.New(ctx,
		telemetry.WithSpanProcessors(server.SpanProcessor()),
		telemetry.WithLogRecordProcessors(server.LogProcessor()))
	if err != nil {
		return err
	}
	providers.SetGlobalOtelProviders()
	listener := http.Server{
		Addr:         address,
		Handler:      server,
		ReadTimeout:  requestTimeout,
		WriteTimeout: requestTimeout,
		IdleTimeout:  idleTimeout,
	}
	return listener.ListenAndServe()
}
