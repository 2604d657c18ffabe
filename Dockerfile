# Builds and runs Switchboard. `docker run -i --rm -v switchboard:/home/node/.switchboard agent-switchboard` speaks MCP on stdio.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No install scripts: they would only fetch another Node and move esbuild's binary.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts ./scripts
COPY src ./src
RUN node scripts/build.mjs

FROM node:24-slim
WORKDIR /app
# The bundle contains everything it needs.
COPY --from=build /build/dist ./dist
COPY package.json LICENSE ./
COPY scripts/image-health.mjs ./scripts/
ENV NODE_ENV=production
ENV SWITCHBOARD_HOME=/home/node/.switchboard
USER node
# Made by its owner, so that a new volume belongs to that owner too.
RUN mkdir -p -m 700 "$SWITCHBOARD_HOME"
VOLUME /home/node/.switchboard
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["node", "/app/scripts/image-health.mjs"]
ENTRYPOINT ["node", "/app/dist/cli.js"]
# stdio for the client that started the container. For several clients: `mcp --port 3000 --host 0.0.0.0 --token …`.
CMD ["mcp", "--embedded"]
