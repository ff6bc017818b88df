export { createApp } from './app.js';
export { createServices, type Services } from './services.js';
export { ApiSettings } from './settings.js';
