{{- define "deckhand.fullname" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 48 | trimSuffix "-" -}}
{{- end -}}

{{- define "deckhand.labels" -}}
app.kubernetes.io/name: deckhand
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* The labels that Pods of one app are found by: (list $ "api"). They can never change. */ -}}
{{- define "deckhand.selector" -}}
app.kubernetes.io/name: deckhand
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "deckhand.image" -}}
{{- $root := index . 0 -}}
{{ printf "%s-%s:%s" $root.Values.image.repository (index . 1) (default $root.Chart.AppVersion $root.Values.image.tag) }}
{{- end -}}

{{- define "deckhand.secretName" -}}
{{- default (include "deckhand.fullname" .) .Values.secrets.existingSecret -}}
{{- end -}}

{{- define "deckhand.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "deckhand.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}
