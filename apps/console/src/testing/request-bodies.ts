import type {
  AcceptInviteBody,
  ApproveDeviceBody,
  CompleteHumanBody,
  CreateApiKeyBody,
  CreateBulkActionBody,
  CreateCredentialBody,
  CreateEventEndpointBody,
  CreateFolderBody,
  CreateInviteBody,
  CreateVariableBody,
  CreateWorkflowBody,
  CreateWorkspaceBody,
  DuplicateWorkflowBody,
  ExecuteBody,
  ImportN8nBody,
  InstanceSettingsBody,
  FinishSignOnBody,
  ListChoicesBody,
  LoginBody,
  RedeemPasswordResetBody,
  RequestPasswordResetBody,
  StartSignOnBody,
  ReplayEventsBody,
  RerunBody,
  SaveDraftBody,
  SaveVersionBody,
  SubmitApprovalBody,
  UpdateCredentialBody,
  UpdateWorkflowBody,
  UpdateWorkspaceBody,
  WorkspaceLimitsBody,
  ConfirmAuthenticatorBody,
  ConfirmBody,
  FinishSignInBody,
} from '@deckhand/contracts';
import type { Static } from 'typebox';

/** The bodies of requests that tests read, by operation. */
interface RequestBodies {
  'POST /api/api-keys': CreateApiKeyBody;
  'POST /api/approvals/submit': SubmitApprovalBody;
  'POST /api/auth/accept-invite': AcceptInviteBody;
  'POST /api/auth/devices/:id/approve': ApproveDeviceBody;
  'POST /api/auth/authenticator/confirm': Static<typeof ConfirmAuthenticatorBody>;
  'POST /api/auth/confirm': ConfirmBody;
  'POST /api/auth/login': LoginBody;
  'POST /api/auth/login/second-factor': FinishSignInBody;
  'POST /api/auth/password-resets': RequestPasswordResetBody;
  'POST /api/auth/password-resets/redeem': RedeemPasswordResetBody;
  'POST /api/auth/sso/finish': FinishSignOnBody;
  'POST /api/auth/sso/start': StartSignOnBody;
  'POST /api/bulk-actions': CreateBulkActionBody;
  'POST /api/connectors/options': ListChoicesBody;
  'POST /api/credentials': CreateCredentialBody;
  'POST /api/event-endpoints': CreateEventEndpointBody;
  'POST /api/event-endpoints/:id/replay': ReplayEventsBody;
  'POST /api/executions/:id/nodes/:nodeId/complete': Static<typeof CompleteHumanBody>;
  'POST /api/executions/:id/rerun': RerunBody;
  'POST /api/folders': CreateFolderBody;
  'POST /api/variables': CreateVariableBody;
  'POST /api/workflows': CreateWorkflowBody;
  'POST /api/workflows/import/n8n': ImportN8nBody;
  'POST /api/workflows/:id/duplicate': Static<typeof DuplicateWorkflowBody>;
  'POST /api/workflows/:id/execute': ExecuteBody;
  'POST /api/workflows/:id/versions': SaveVersionBody;
  'POST /api/workspaces': CreateWorkspaceBody;
  'POST /api/workspaces/:id/invites': CreateInviteBody;
  'PATCH /api/credentials/:id': UpdateCredentialBody;
  'PATCH /api/workflows/:id': UpdateWorkflowBody;
  'PATCH /api/workspaces/:id': UpdateWorkspaceBody;
  'PUT /api/admin/settings': Static<typeof InstanceSettingsBody>;
  'PUT /api/admin/workspaces/:id/limits': WorkspaceLimitsBody;
  'PUT /api/workflows/:id/draft': SaveDraftBody;
}

/** The body of a request to an operation. */
export type RequestBody<O extends string> = O extends keyof RequestBodies ? RequestBodies[O] : unknown;
