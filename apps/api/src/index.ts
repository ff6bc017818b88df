export { createLoginThrottle } from './auth/login-throttle.js';
export { announceSetup } from './announce-setup.js';
export { createApp } from './app.js';
export { oneAtATime } from './definitions.js';
export { createHttpServer, type ServerTimes } from './http/create-server.js';
export { listRoutes } from './routes.js';
export { createServices, type Services } from './services.js';
export { ApiSettings } from './settings.js';
export { createOpenApiDocument, type NamedRoute } from './openapi/document.js';
