export { createLoginThrottle } from './auth/login-throttle.ts';
export { announceSetup } from './announce-setup.ts';
export { createApp } from './app.ts';
export { oneAtATime } from './definitions.ts';
export { createHttpServer, type ServerTimes } from './http/create-server.ts';
export { listRoutes } from './routes.ts';
export { createServices, type Services } from './services.ts';
export { ApiSettings, readApiSettings } from './settings.ts';
export { createOpenApiDocument, type NamedRoute } from './openapi/document.ts';
