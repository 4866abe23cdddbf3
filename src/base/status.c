/*
 * The constant tables that base.h declares: status codes, memory purposes, limits, version.
 */
#include <shoal/base.h>

static const char *const status_names[] = {
#define STATUS_NAME(code, name, sentence) name,
    SHOAL_STATUS_TABLE(STATUS_NAME)
#undef STATUS_NAME
};

static const char *const status_sentences[] = {
#define STATUS_SENTENCE(code, name, sentence) sentence,
    SHOAL_STATUS_TABLE(STATUS_SENTENCE)
#undef STATUS_SENTENCE
};

static const char *const purpose_names[] = {
#define PURPOSE_NAME(code, name) name,
    SHOAL_PURPOSE_TABLE(PURPOSE_NAME)
#undef PURPOSE_NAME
};

const char *shoal_status_name(shoal_status status) {
    return (unsigned)status < SHOAL_STATUS_COUNT ? status_names[status] : "unknown status";
}

const char *shoal_status_sentence(shoal_status status) {
    return (unsigned)status < SHOAL_STATUS_COUNT ? status_sentences[status] : "The status code is unknown.";
}

const char *shoal_purpose_name(shoal_purpose purpose) {
    return (unsigned)purpose < SHOAL_PURPOSE_COUNT ? purpose_names[purpose] : "unknown purpose";
}

const char *shoal_version(void) {
    return SHOAL_VERSION;
}

shoal_limits shoal_limits_get(void) {
    return (shoal_limits){
        .component_types = 65535,
        .component_alignment = 4096,
        .component_bytes = (size_t)1 << 30,
        .row_bytes = (size_t)1 << 30,
        .entities = (uint64_t)1 << 32,
        .generations = 65536,
        .worlds = 32767,
        .archetypes = (uint32_t)1 << 28,
        .query_terms = 1024,
        .chunk_bytes_min = 1024,
        .chunk_bytes_max = (size_t)1 << 20,
    };
}
